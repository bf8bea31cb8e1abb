//! The examples of the documents that this project grew from, word for word, and small files in the shape of the real data
//! of the projects behind them.

mod commands;
mod golden;
mod retrieval;
mod scenarios;
