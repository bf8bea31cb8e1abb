//! The crate as a tree of modules: which names each brings into scope, and which paths and methods it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// Segments of a path; a leading `::` is a segment of its own.
pub(crate) type Segments = Vec<String>;

/// A module of the crate, without what is compiled for tests only.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) file: String,
    /// Name in scope → what it stands for.
    names: BTreeMap<String, Vec<Segments>>,
    pub(crate) globs: Vec<Segments>,
    children: BTreeSet<String>,
    pub(crate) items: BTreeSet<String>,
    /// Types and traits, with their lines.
    pub(crate) types: Vec<(String, usize)>,
    /// Functions and methods.
    pub(crate) functions: BTreeSet<String>,
    /// Everything that is named.
    pub(crate) paths: Vec<Mention<Segments>>,
    /// What is imported.
    pub(crate) imports: Vec<Mention<Segments>>,
    /// What is imported and passed on.
    pub(crate) exports: Vec<Mention<Segments>>,
    /// Every method that is called.
    pub(crate) methods: Vec<Mention<String>>,
    /// Every macro that is called by a bare name.
    pub(crate) macros: Vec<Mention<String>>,
    /// Attributes and items that hide source from this test, with their lines.
    pub(crate) tricks: Vec<(String, usize)>,
}

/// Something that the source mentions.
#[derive(Debug)]
pub(crate) struct Mention<T> {
    pub(crate) what: T,
    pub(crate) line: usize,
    /// In which function or type, such as `load` or `Settings::resolve`; empty outside of them.
    pub(crate) within: String,
}

/// All modules of the crate by path; the root is the empty one.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) modules: BTreeMap<Segments, Module>,
    /// The crates that a path can begin with.
    crates: BTreeSet<String>,
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A path into another crate.
    Foreign(Segments),
    /// What of a module of this crate; empty for the module itself.
    Own { module: Segments, item: Segments },
}

impl Tree {
    /// Reads the crate from the file of its root.
    pub(crate) fn read(root: &Path, crates: &[String]) -> Self {
        let mut tree = Self::with_crates(crates);
        tree.add_file(root, Vec::new(), root.parent().unwrap());
        tree
    }

    pub(crate) fn with_crates(crates: &[String]) -> Self {
        let builtin = ["std", "core", "alloc", "proc_macro"].map(str::to_owned);
        Self { crates: crates.iter().cloned().chain(builtin).collect(), ..Self::default() }
    }

    /// Adds a module whose source is this text; modules in files of their own are not followed.
    pub(crate) fn add_text(&mut self, path: Segments, text: &str) {
        if let Some((name, parent)) = path.split_last() {
            self.modules.entry(parent.to_vec()).or_default().children.insert(name.clone());
        }
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        drop(self.add(path.clone(), path.join("::"), &file.items, &file.attrs));
    }

    fn add_file(&mut self, file: &Path, path: Segments, directory: &Path) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (inside, name) in self.add(path.clone(), file.display().to_string(), &parsed.items, &parsed.attrs) {
            let directory = inside.iter().fold(directory.to_owned(), |directory, name| directory.join(name));
            let candidates: [PathBuf; 2] = [directory.join(format!("{name}.rs")), directory.join(&name).join("mod.rs")];
            let file = candidates.iter().find(|file| file.is_file());
            let file = file.unwrap_or_else(|| panic!("no file for {path:?}::{name}"));
            let module = [path.clone(), inside, vec![name.clone()]].concat();
            self.add_file(file, module, &directory.join(&name));
        }
    }

    /// Adds a module and those inside of it; the modules in files of their own remain to be read: where within this one,
    /// and their names.
    fn add(
        &mut self,
        path: Segments,
        file: String,
        items: &[syn::Item],
        attributes: &[syn::Attribute],
    ) -> Vec<(Segments, String)> {
        let mut collector = Collector {
            module: Module { file: file.clone(), ..Module::default() },
            exports: false,
            within: String::new(),
            bound: BTreeSet::new(),
        };
        let mut elsewhere = Vec::new();
        attributes.iter().for_each(|attribute| collector.visit_attribute(attribute));
        for item in items {
            if is_for_tests(attributes_of(item)) {
                continue;
            }
            let syn::Item::Mod(inner) = item else {
                collector.declare(item);
                collector.visit_item(item);
                continue;
            };
            let name = inner.ident.to_string();
            inner.attrs.iter().for_each(|attribute| collector.visit_attribute(attribute));
            collector.module.children.insert(name.clone());
            match &inner.content {
                Some((_, items)) => {
                    let child = [path.clone(), vec![name.clone()]].concat();
                    let more = self.add(child, file.clone(), items, &[]);
                    elsewhere
                        .extend(more.into_iter().map(|(inside, found)| ([vec![name.clone()], inside].concat(), found)));
                }
                None => elsewhere.push((Vec::new(), name)),
            }
        }
        let known = self.modules.entry(path).or_default();
        let children = std::mem::take(&mut known.children);
        *known = collector.module;
        known.children.extend(children);
        elsewhere
    }

    /// Everything that a path in a module may lead to; nothing if it is a name of the module itself, or of the prelude.
    pub(crate) fn resolve(&self, module: &[String], path: &[String]) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        self.follow(module, path, 0, &mut found);
        found
    }

    fn follow(&self, module: &[String], path: &[String], depth: usize, found: &mut BTreeSet<Target>) {
        let Some((first, rest)) = path.split_first() else {
            found.insert(Target::Own { module: module.to_vec(), item: Vec::new() });
            return;
        };
        // Names that stand for each other in a circle lead nowhere.
        if depth > 32 {
            return;
        }
        match first.as_str() {
            "::" => drop(found.insert(Target::Foreign(rest.to_vec()))),
            "crate" => self.walk(&[], rest, depth, found),
            "self" => self.walk(module, rest, depth, found),
            "super" => self.follow_super(module, rest, depth, found),
            "Self" => {}
            _ if self.knows(module, first) => self.walk(module, path, depth, found),
            name if self.crates.contains(name) => drop(found.insert(Target::Foreign(path.to_vec()))),
            _ => {}
        }
    }

    fn follow_super(&self, module: &[String], rest: &[String], depth: usize, found: &mut BTreeSet<Target>) {
        let parent = &module[..module.len().saturating_sub(1)];
        if rest.first().is_some_and(|next| next == "super") {
            self.follow_super(parent, &rest[1..], depth, found);
        } else {
            self.walk(parent, rest, depth, found);
        }
    }

    /// Whether a module has this name, by itself or through a glob of this crate.
    fn knows(&self, module: &[String], name: &str) -> bool {
        let Some(known) = self.modules.get(module) else { return false };
        known.children.contains(name)
            || known.names.contains_key(name)
            || known.items.contains(name)
            || self.through_globs(module, name).is_some()
    }

    /// The module of this crate that has this name, if all of its names are in scope.
    fn through_globs(&self, module: &[String], name: &str) -> Option<Segments> {
        let mut found = BTreeSet::new();
        let known = self.modules.get(module)?;
        for glob in &known.globs {
            let first = &glob[0];
            let is_plain = ["crate", "self", "super"].contains(&first.as_str());
            // What comes through another glob is not looked for: that would go round in circles.
            if is_plain || known.children.contains(first) || known.names.contains_key(first) {
                self.follow(module, glob, 1, &mut found);
            }
        }
        let has = |other: &Module| {
            other.children.contains(name) || other.names.contains_key(name) || other.items.contains(name)
        };
        found.into_iter().find_map(|target| match target {
            Target::Own { module: other, item } if item.is_empty() && other != module => {
                self.modules.get(&other).is_some_and(has).then_some(other)
            }
            Target::Own { .. } | Target::Foreign(_) => None,
        })
    }

    fn walk(&self, module: &[String], rest: &[String], depth: usize, found: &mut BTreeSet<Target>) {
        let own = |item: &[String]| Target::Own { module: module.to_vec(), item: item.to_vec() };
        let (Some((first, after)), Some(known)) = (rest.split_first(), self.modules.get(module)) else {
            found.insert(own(&[]));
            return;
        };
        if known.children.contains(first) {
            return self.walk(&[module, std::slice::from_ref(first)].concat(), after, depth, found);
        }
        if let Some(meanings) = known.names.get(first) {
            for meaning in meanings {
                let whole = [meaning.as_slice(), after].concat();
                if meaning.first() == Some(first) && meaning.len() == 1 {
                    // `use regex;` names a crate, `pub(crate) use a_macro;` passes a macro on.
                    let is_foreign = self.crates.contains(first);
                    found.insert(if is_foreign { Target::Foreign(whole) } else { own(rest) });
                } else {
                    // `use std::fs` names a crate even if the module has another `std`.
                    let is_foreign = self.crates.contains(&meaning[0]) && !known.children.contains(&meaning[0]);
                    if is_foreign && !known.names.contains_key(&meaning[0]) {
                        found.insert(Target::Foreign(whole));
                    } else {
                        self.follow(module, &whole, depth + 1, found);
                    }
                }
            }
            return;
        }
        if !known.items.contains(first)
            && let Some(other) = self.through_globs(module, first)
        {
            return self.walk(&other, rest, depth + 1, found);
        }
        found.insert(own(rest));
    }
}

struct Collector {
    module: Module,
    /// Whether what is being imported is visible outside of the module.
    exports: bool,
    /// The function that is being looked at.
    within: String,
    /// The names that it binds, which hide items of the same name.
    bound: BTreeSet<String>,
}

/// The names that a function binds.
#[derive(Default)]
struct Bindings(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}

impl Collector {
    /// The names that an item brings into its module.
    fn declare(&mut self, item: &syn::Item) {
        let name = match item {
            syn::Item::Const(one) => &one.ident,
            syn::Item::Enum(one) => &one.ident,
            syn::Item::Fn(one) => &one.sig.ident,
            syn::Item::Static(one) => &one.ident,
            syn::Item::Struct(one) => &one.ident,
            syn::Item::Trait(one) => &one.ident,
            syn::Item::Type(one) => &one.ident,
            syn::Item::Union(one) => &one.ident,
            syn::Item::Macro(one) if one.ident.is_some() => one.ident.as_ref().unwrap(),
            _ => return,
        };
        let is_type = matches!(
            item,
            syn::Item::Enum(_) | syn::Item::Struct(_) | syn::Item::Trait(_) | syn::Item::Type(_) | syn::Item::Union(_)
        );
        if is_type {
            self.module.types.push((name.to_string(), name.span().start().line));
        }
        self.module.items.insert(name.to_string());
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String], line: usize) {
        let with = |name: &str| [before, &[name.to_owned()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.import(&path.tree, &with(&path.ident.to_string()), line),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before, line)),
            syn::UseTree::Name(name) => {
                let name = name.ident.to_string();
                let (name, path) = match before.last() {
                    Some(last) if name == "self" => (last.clone(), before.to_vec()),
                    _ => (name.clone(), with(&name)),
                };
                self.bring(name, path, line);
            }
            syn::UseTree::Rename(rename) => {
                let name = rename.ident.to_string();
                let path = if name == "self" && !before.is_empty() { before.to_vec() } else { with(&name) };
                self.bring(rename.rename.to_string(), path, line);
            }
            syn::UseTree::Glob(_) => {
                self.names(before.to_vec(), line);
                self.module.globs.push(before.to_vec());
            }
        }
    }

    fn mention<T>(&self, what: T, line: usize) -> Mention<T> {
        Mention { what, line, within: self.within.clone() }
    }

    fn path(&mut self, mut path: Segments, line: usize) {
        if path[0] == "Self" {
            path[0] = self.within.split("::").next().unwrap_or_default().to_owned();
        }
        if path.len() == 1 && self.bound.contains(&path[0]) {
            return;
        }
        let mention = self.mention(path, line);
        self.module.paths.push(mention);
    }

    fn method(&mut self, name: String, line: usize) {
        let mention = self.mention(name, line);
        self.module.methods.push(mention);
    }

    fn calls_macro(&mut self, name: String, line: usize) {
        let mention = self.mention(name, line);
        self.module.macros.push(mention);
    }

    /// Looks at something as a part of this function.
    fn inside(&mut self, function: String, look: impl FnOnce(&mut Self)) {
        self.module.functions.insert(function.clone());
        let outer = std::mem::replace(&mut self.within, function);
        look(self);
        self.within = outer;
    }

    fn names(&mut self, path: Segments, line: usize) {
        let mention = self.mention(path, line);
        let list = if self.exports { &mut self.module.exports } else { &mut self.module.imports };
        list.push(mention);
    }

    fn bring(&mut self, name: String, path: Segments, line: usize) {
        self.names(path.clone(), line);
        self.module.names.entry(name).or_default().push(path);
    }

    /// What stands in a macro cannot be parsed in general; its tokens are looked through for paths and calls.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_punct = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(one)) if one.as_char() == c);
        let is_colons = |at: usize| is_punct(at, ':') && is_punct(at + 1, ':');
        let ident = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
            _ => None,
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let line = token.span().start().line;
            let after_dot = at > 0 && is_punct(at - 1, '.');
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => self.path_in_text(&literal.to_string(), line),
                TokenTree::Ident(name) if after_dot => {
                    let is_called = matches!(tokens.get(at + 1), Some(TokenTree::Group(_))) || is_colons(at + 1);
                    if is_called {
                        self.method(name.to_string(), line);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Ident(_) => {
                    let mut path = Segments::new();
                    let mut next = at;
                    if is_colons(at) && ident(at + 2).is_some() && !after_ident(&tokens, at) {
                        path.push("::".to_owned());
                        next += 2;
                    }
                    while let Some(name) = ident(next) {
                        path.push(name);
                        next += 1;
                        if !(is_colons(next) && ident(next + 2).is_some()) {
                            break;
                        }
                        next += 2;
                    }
                    if is_punct(next, '!')
                        && path.len() == 1
                        && matches!(tokens.get(next + 1), Some(TokenTree::Group(_)))
                    {
                        self.calls_macro(path[0].clone(), line);
                    }
                    if let Some(TokenTree::Group(group)) = tokens.get(next)
                        && path.len() == 1
                        && path[0] == "use"
                        && group.delimiter() == Delimiter::Brace
                    {
                        self.module.tricks.push(("`use` of a group in a macro".to_owned(), line));
                    }
                    if path.len() > 1 {
                        self.path(path, line);
                        at = next;
                        continue;
                    }
                }
            }
            at += 1;
        }
    }

    /// Attributes such as `serde(with = "a::b")` name functions in texts.
    fn path_in_text(&mut self, literal: &str, line: usize) {
        let Some(text) = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else { return };
        if text.contains("::")
            && let Ok(path) = syn::parse_str::<syn::Path>(text)
        {
            self.path(segments(&path), line);
        }
    }
}

/// Whether the token before this one ends a name, so that `::` goes on with it.
fn after_ident(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    matches!(before, Some(TokenTree::Ident(_))) || matches!(before, Some(TokenTree::Punct(one)) if one.as_char() == '>')
}

fn segments(path: &syn::Path) -> Segments {
    let leading = path.leading_colon.map(|_| "::".to_owned());
    leading.into_iter().chain(path.segments.iter().map(|segment| segment.ident.to_string())).collect()
}

fn line_of(spanned: &impl syn::spanned::Spanned) -> usize {
    spanned.span().start().line
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let before: Segments = item.leading_colon.map(|_| "::".to_owned()).into_iter().collect();
        self.exports = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &before, line_of(item));
        self.exports = false;
    }

    /// `pub(in crate::a)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
        self.bring(name.to_string(), vec!["::".to_owned(), item.ident.to_string()], line_of(item));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            self.module.tricks.push(("a module inside of a function".to_owned(), line_of(item)));
        }
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let name = if self.within.is_empty() { item.ident.to_string() } else { self.within.clone() };
        self.inside(name, |inside| visit::visit_item_struct(inside, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = if self.within.is_empty() { item.ident.to_string() } else { self.within.clone() };
        self.inside(name, |inside| visit::visit_item_trait(inside, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let name = format!("{}::{}", self.within, item.sig.ident);
        let mut bindings = Bindings(self.bound.clone());
        bindings.visit_trait_item_fn(item);
        let outer = std::mem::replace(&mut self.bound, bindings.0);
        self.inside(name, |inside| visit::visit_trait_item_fn(inside, item));
        self.bound = outer;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        // A function inside of another is a part of it.
        let name = if self.within.is_empty() { item.sig.ident.to_string() } else { self.within.clone() };
        let mut bindings = Bindings(self.bound.clone());
        bindings.visit_item_fn(item);
        let outer = std::mem::replace(&mut self.bound, bindings.0);
        self.inside(name, |inside| visit::visit_item_fn(inside, item));
        self.bound = outer;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = match &*item.self_ty {
            syn::Type::Path(of) => of.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
            _ => String::new(),
        };
        let name = if self.within.is_empty() { of } else { self.within.clone() };
        self.inside(name, |inside| visit::visit_item_impl(inside, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let name = format!("{}::{}", self.within, item.sig.ident);
        let mut bindings = Bindings(self.bound.clone());
        bindings.visit_impl_item_fn(item);
        let outer = std::mem::replace(&mut self.bound, bindings.0);
        self.inside(name, |inside| visit::visit_impl_item_fn(inside, item));
        self.bound = outer;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(segments(path), line_of(path));
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.method(call.method.to_string(), line_of(&call.method));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.get_ident() {
            self.calls_macro(name.to_string(), line_of(&call.path));
        }
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("path") {
            self.module.tricks.push(("#[path]".to_owned(), line_of(attribute)));
        }
        match &attribute.meta {
            syn::Meta::List(list) => self.tokens(list.tokens.clone()),
            syn::Meta::Path(_) | syn::Meta::NameValue(_) => {}
        }
    }
}

/// Whether something is compiled for tests only.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(one) => &one.attrs,
        syn::Item::Enum(one) => &one.attrs,
        syn::Item::ExternCrate(one) => &one.attrs,
        syn::Item::Fn(one) => &one.attrs,
        syn::Item::Impl(one) => &one.attrs,
        syn::Item::Macro(one) => &one.attrs,
        syn::Item::Mod(one) => &one.attrs,
        syn::Item::Static(one) => &one.attrs,
        syn::Item::Struct(one) => &one.attrs,
        syn::Item::Trait(one) => &one.attrs,
        syn::Item::Type(one) => &one.attrs,
        syn::Item::Use(one) => &one.attrs,
        _ => &[],
    }
}
