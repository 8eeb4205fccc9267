//! No circle of modules: if one imports another, directly or by others, the other does not import it. Floors keep the
//! rooms apart; this keeps the files of a floor apart, so that each can be read without the files above it.
//!
//! The graph is made of the `use` declarations and paths in the sources. A name that a module re-exports counts as a name of
//! the module that declares it. Unit tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A circle that is left for now: its crate (empty: the server), what all its modules lie in, how many they are, and why it
/// stays.
type Exception = (&'static str, &'static str, usize, &'static str);

/// The list only gets shorter: a circle that grows or is gone fails the test.
const EXCEPTIONS: &[Exception] = &[
    ("", "cli::simulate", 3, "the arguments of a command lie with the command, and its parts read them"),
    ("", "cli::survey", 4, "what the subcommands share lies with the command"),
    ("", "config", 3, "the data folder and the secret are read from the configuration that keeps them"),
    ("", "postgres", 5, "the private server's constants lie with the module that starts it"),
    ("evidence", "compare", 6, "the inputs of a comparison lie with the comparison, and its parts read them"),
    ("evidence", "", 4, "what a file's columns are read as is chosen by the caller, and corrected by what is read"),
    ("evidence", "rectified::table", 3, "an estimate is a row of the table, and its parts make rows"),
    ("evidence", "validation", 3, "an arm of a validation is figured by the settings of the whole"),
    ("import", "qsf", 9, "the choices of a question may be carried from another, which is read by the same code"),
    ("survey", "", 28, "a question has a type, which says what its answers are; an answer is one to a question"),
    ("survey", "", 8, "a plan is compiled from a design that its check has passed, and its outline is checked again"),
];

/// The crates that are looked through beside the server.
const CRATES: [&str; 6] = ["bundle", "evidence", "export", "import", "simulation", "survey"];

/// The path of a module below the crate, e.g. `["engine", "limiter"]`.
type Module = Vec<String>;

/// The folder of a crate's sources; empty: of the server's.
fn sources(name: &str) -> PathBuf {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    if name.is_empty() { server.join("src") } else { server.join("../crates").join(name).join("src") }
}

/// The modules below `src` with their code, without comments and unit tests.
fn modules(src: &Path) -> BTreeMap<Module, String> {
    let mut modules = BTreeMap::new();
    let mut folders = vec![src.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(src).expect("below src").with_extension("");
            let mut module: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            module.retain(|part| !["mod", "lib", "main"].contains(&part.as_str()));
            if module.iter().any(|part| part == "tests" || part.ends_with("_tests")) || path.ends_with("main.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            modules.insert(module, lines.collect::<Vec<_>>().join("\n"));
        }
    }
    modules
}

/// The `use` declarations of the code, and the code without them.
fn split_uses(code: &str) -> (Vec<(bool, &str)>, String) {
    let (mut uses, mut rest) = (Vec::new(), String::new());
    let mut left = code;
    while let Some(at) = left.find("use ") {
        let line = left[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = left[line..at].trim();
        let end = left[at..].find(';').map(|end| at + end);
        match end {
            Some(end) if before.is_empty() || before == "pub" || before.starts_with("pub(") => {
                uses.push((!before.is_empty(), &left[at + 4..end]));
                rest.push_str(&left[..line]);
                left = &left[end + 1..];
            }
            _ => {
                rest.push_str(&left[..at + 4]);
                left = &left[at + 4..];
            }
        }
    }
    rest.push_str(left);
    (uses, rest)
}

/// The paths of a `use` declaration, one for each name.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.split(" as ").next().filter(|_| !tree.contains('{')).unwrap_or(tree).trim();
    let Some((prefix, rest)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let inner = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let (mut depth, mut start, mut paths) = (0, 0, Vec::new());
    for (at, sign) in inner.char_indices().chain([(inner.len(), ',')]) {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inner[start..at].trim();
                let names = if part.is_empty() { Vec::new() } else { expand(part) };
                paths.extend(names.into_iter().map(|name| format!("{prefix}{name}")));
                start = at + 1;
            }
            _ => {}
        }
    }
    paths
}

/// The paths in code outside `use` declarations.
fn paths_in(code: &str) -> impl Iterator<Item = &str> {
    code.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_' && sign != ':')
        .map(|path| path.trim_matches(':'))
        .filter(|path| path.contains("::"))
}

struct Graph {
    modules: BTreeMap<Module, String>,
    /// Names that a module re-exports, with the path below the crate where each comes from.
    re_exports: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Graph {
    /// The path below the crate; `None`: of another crate. `aliases`: the modules that the file imports, by name.
    fn absolute(&self, from: &Module, aliases: &BTreeMap<String, Module>, path: &str) -> Option<Module> {
        let mut parts: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
        if parts.last().is_some_and(|part| part == "self") && parts.len() > 1 {
            parts.pop();
        }
        let mut base = match parts[0].as_str() {
            "crate" => Module::new(),
            "self" | "super" => from.clone(),
            name => {
                let child = [from.as_slice(), &[name.to_owned()]].concat();
                let child = self.modules.contains_key(&child).then_some(child);
                let module = aliases.get(name).cloned().or(child)?;
                return Some([module.as_slice(), &parts[1..]].concat());
            }
        };
        let mut rest = parts.as_slice();
        if ["crate", "self"].contains(&rest[0].as_str()) {
            rest = &rest[1..];
        }
        while rest.first().is_some_and(|part| part == "super") {
            base.pop();
            rest = &rest[1..];
        }
        Some([base.as_slice(), rest].concat())
    }

    /// The module that declares what the path names.
    fn declared_in(&self, path: &Module, hops: usize) -> Option<Module> {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]))?;
        let (module, rest) = (path[..length].to_vec(), &path[length..]);
        let origin = rest.first().and_then(|name| self.re_exports.get(&module)?.get(name));
        match origin {
            Some(origin) if hops > 0 => self.declared_in(&[origin.as_slice(), &rest[1..]].concat(), hops - 1),
            _ => Some(module),
        }
    }

    fn read(src: &Path) -> (Self, BTreeMap<Module, BTreeSet<Module>>) {
        let mut graph = Self { modules: modules(src), re_exports: BTreeMap::new() };
        let mut named: BTreeMap<Module, Vec<Module>> = BTreeMap::new();
        for (module, code) in &graph.modules.clone() {
            let (uses, rest) = split_uses(code);
            let mut aliases = BTreeMap::new();
            let mut paths = Vec::new();
            for (is_public, tree) in uses {
                for path in expand(tree) {
                    let Some(path) = graph.absolute(module, &BTreeMap::new(), &path) else { continue };
                    let Some(name) = path.last().cloned() else { continue };
                    if is_public {
                        graph.re_exports.entry(module.clone()).or_default().insert(name, path);
                    } else if graph.modules.contains_key(&path) {
                        // The code names what it uses of the module.
                        aliases.insert(name, path);
                    } else {
                        paths.push(path);
                    }
                }
            }
            let code_paths = paths_in(&rest).filter_map(|path| graph.absolute(module, &aliases, path));
            // A module alone is a visibility, as in `pub(in crate::http)`.
            paths.extend(code_paths.filter(|path| !graph.modules.contains_key(path)));
            named.insert(module.clone(), paths);
        }
        let imports = |(module, paths): (Module, Vec<Module>)| {
            let targets = paths.iter().filter_map(|path| graph.declared_in(path, 8));
            let targets: BTreeSet<Module> = targets.filter(|target| *target != module && !target.is_empty()).collect();
            (module, targets)
        };
        let imports = named.into_iter().map(imports).collect();
        (graph, imports)
    }
}

/// The modules that can be reached from each module.
fn reach(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let reached = |start| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(module) = next.pop() {
            let new = imports.get(module).into_iter().flatten().filter(|target| reached.insert(*target));
            next.extend(new);
        }
        reached
    };
    imports.keys().map(|module| (module, reached(module))).collect()
}

/// The circles: modules each of which reaches all others.
fn circles(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<&Module>> {
    let reach = reach(imports);
    let circle = |module: &&Module| -> BTreeSet<&Module> {
        let back =
            reach[*module].iter().copied().filter(|other| reach.get(*other).is_some_and(|far| far.contains(*module)));
        back.collect()
    };
    reach.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

/// Finds the module that holds all modules of a circle.
fn room(circle: &BTreeSet<&Module>) -> String {
    let (first, last) = (circle.first().expect("a module"), circle.last().expect("a module"));
    let common = first.iter().zip(last.iter()).take_while(|(one, other)| one == other);
    common.map(|(part, _)| part.as_str()).collect::<Vec<_>>().join("::")
}

/// A circle's modules and what each of them imports of it, in lines.
fn described(circle: &BTreeSet<&Module>, imports: &BTreeMap<Module, BTreeSet<Module>>) -> String {
    let mut text = format!("{} modules in a circle in {:?}:\n", circle.len(), room(circle));
    for module in circle {
        let targets = imports[*module].iter().filter(|target| circle.contains(target));
        let targets: Vec<String> = targets.map(|target| target.join("::")).collect();
        text.push_str(&format!("  {} imports {}\n", module.join("::"), targets.join(", ")));
    }
    text
}

#[test]
fn no_modules_import_one_another_in_a_circle() {
    let mut left: Vec<(&str, &str, usize)> = EXCEPTIONS.iter().map(|(name, room, n, _)| (*name, *room, *n)).collect();
    let mut unknown = String::new();
    for name in [""].into_iter().chain(CRATES) {
        let (graph, imports) = Graph::read(&sources(name));
        let least = if name.is_empty() { 400 } else { 10 };
        assert!(graph.modules.len() > least, "only {} modules were found in {name:?}", graph.modules.len());
        assert!(imports.values().map(BTreeSet::len).sum::<usize>() > least, "{name:?} imports next to nothing");
        for circle in circles(&imports) {
            match left.iter().position(|known| *known == (name, &*room(&circle), circle.len())) {
                Some(place) => {
                    left.remove(place);
                }
                None => unknown.push_str(&format!("{name}: {}", described(&circle, &imports))),
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown}");
    assert!(
        left.is_empty(),
        "these circles are gone or smaller, take them off the list or lower their number: {left:?}"
    );
}

#[test]
fn a_use_declaration_names_each_of_its_paths() {
    let paths = expand("super::{Interview, calls::{self, Call as Other}, messages}");
    assert_eq!(paths, ["super::Interview", "super::calls::self", "super::calls::Call", "super::messages"]);
    let (uses, rest) = split_uses("use a::b;\nfn f() { c::d() } // because\npub use self::e::F;\n");
    assert_eq!(uses, [(false, "a::b"), (true, "self::e::F")]);
    assert_eq!(paths_in(&rest).collect::<Vec<_>>(), ["c::d"]);
}
