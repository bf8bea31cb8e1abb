//! How much a run may spend. A request starts only if even its dearest answer would fit.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::endpoint::{Limits, Price};
use crate::model::{Nature, Usage};

/// What the models of a suite have spent, within limits.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    state: Mutex<BudgetState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct BudgetState {
    requests: u64,
    tokens: u64,
    cost: f64,
    /// The most that requests under way can still consume.
    reserved_tokens: u64,
    reserved_cost: f64,
    under_way: usize,
    /// What was refused first, in words.
    reached: Option<String>,
}

/// The expense of one request: an estimate until its real cost is charged.
#[derive(Debug)]
pub(super) struct Spending<'a> {
    budget: &'a Budget,
    tokens: u64,
    cost: f64,
    price: Price,
    charged: bool,
}

/// A request was not sent, since a limit on requests is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OverBudget;

impl Budget {
    /// Nothing is spent yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, state: Mutex::default(), changed: Notify::new() }
    }

    /// Waits until a request of so many bytes and its longest answer fit; `None` if they never will.
    pub(super) async fn admit(&self, bytes: usize, answer: u64, price: Option<Price>) -> Option<Spending<'_>> {
        // A token is at least a byte.
        let price = price.unwrap_or(Price { input: 0.0, output: 0.0 });
        let cost = price.of(bytes as u64, answer);
        let tokens = bytes as u64 + answer;
        loop {
            let changed = self.changed.notified();
            {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let spent = (state.tokens, state.cost);
                let over = |tokens_so_far: u64, cost_so_far: f64| {
                    if self.limits.max_tokens.is_some_and(|max| tokens_so_far + tokens > max) {
                        Some("max-tokens")
                    } else if self.limits.max_cost.is_some_and(|max| cost_so_far + cost > max) {
                        Some("max-cost")
                    } else {
                        None
                    }
                };
                if self.limits.max_requests.is_some_and(|max| state.requests >= max) {
                    state.reached.get_or_insert_with(|| "max-requests".to_owned());
                    return None;
                }
                match over(spent.0 + state.reserved_tokens, spent.1 + state.reserved_cost) {
                    None => {
                        state.reserved_tokens += tokens;
                        state.reserved_cost += cost;
                        state.under_way += 1;
                        return Some(Spending { budget: self, tokens, cost, price, charged: false });
                    }
                    Some(limit) if state.under_way == 0 || over(spent.0, spent.1).is_some() => {
                        state.reached.get_or_insert_with(|| limit.to_owned());
                        return None;
                    }
                    Some(_) => {}
                }
            }
            changed.await;
        }
    }

    /// Counts a request that is about to be sent, a repeated one as well.
    pub(super) fn count_request(&self) -> Result<(), OverBudget> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.limits.max_requests.is_some_and(|max| state.requests >= max) {
            state.reached.get_or_insert_with(|| "max-requests".to_owned());
            return Err(OverBudget);
        }
        state.requests += 1;
        Ok(())
    }

    /// What has run out.
    pub(super) fn sentence(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = state.reached.as_deref().unwrap_or("the budget");
        let BudgetState { requests, tokens, cost, .. } = &*state;
        format!(
            "not asked: {reached} is reached after {requests} requests, {tokens} tokens, {} spent",
            Nature::Cost.format(*cost)
        )
    }
}

impl Spending<'_> {
    /// Says what was really consumed.
    pub(super) fn charge(mut self, usage: Usage) {
        let Usage { input_tokens, output_tokens, .. } = usage;
        self.release(input_tokens + output_tokens, self.price.of(input_tokens, output_tokens));
    }

    fn release(&mut self, tokens: u64, cost: f64) {
        if self.charged {
            return;
        }
        self.charged = true;
        let mut state = self.budget.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.reserved_tokens = state.reserved_tokens.saturating_sub(self.tokens);
        state.reserved_cost -= self.cost;
        state.under_way = state.under_way.saturating_sub(1);
        state.tokens += tokens;
        state.cost += cost;
        drop(state);
        self.budget.changed.notify_waiters();
    }
}

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        // A request that was broken off may have been answered all the same: it counts as the dearest.
        self.release(self.tokens, self.cost);
    }
}
