//! The model servers that runs may ask, from the file that `MODELS` names or from the variables of the short form.

mod capabilities;
mod file;

use std::collections::BTreeMap;
use std::path::Path;

use simulation::parameters::{DEFAULT_SERVER, Parameters};

use super::model::ModelConfig;

pub use self::file::FileDefaults;

/// Model servers with different names. Runs that name no model ask the first model of the first one.
#[derive(Clone, Debug)]
pub struct ModelServers(Vec<ModelConfig>);

impl ModelServers {
    /// The short form: one server.
    pub fn one(server: ModelConfig) -> Self {
        Self(vec![server])
    }

    /// These servers and another one, whose name is none of theirs.
    pub fn with(mut self, server: ModelConfig) -> Self {
        self.0.push(server);
        self
    }

    /// Reads the file. Errors name the file, the server and the key.
    pub fn read(path: &Path, defaults: &FileDefaults) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|reason| format!("{}: {reason}", path.display()))?;
        file::parse(&text, defaults).map(Self).map_err(|reason| format!("{}: {reason}", path.display()))
    }

    /// The server of runs that name none.
    pub fn main(&self) -> &ModelConfig {
        &self.0[0]
    }

    /// Makes this server the main one, and this model the one of runs that name none.
    pub fn set_main(&mut self, server: &str, model: &str) {
        self.0.sort_by_key(|known| known.name != server);
        if let Some(main) = self.0.first_mut() {
            model.clone_into(&mut main.model);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &ModelConfig> {
        self.0.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut ModelConfig> {
        self.0.iter_mut()
    }

    /// The server with this name. `None`: there is none any more.
    pub fn find(&self, name: &str) -> Option<&ModelConfig> {
        self.0.iter().find(|server| server.name == name)
    }

    /// The server that a run with this `modelServer` asks.
    pub fn of_run(&self, server: Option<&str>) -> Option<&ModelConfig> {
        self.find(server.unwrap_or(DEFAULT_SERVER))
    }

    /// The models that runs may name, as they name them, each with its server: the main model first. A model of several
    /// servers is named with its server before it.
    pub fn listed(&self) -> Vec<(String, &ModelConfig)> {
        let models = self.0.iter().flat_map(|server| server.models.iter().map(move |model| (server, model)));
        let mut listed: Vec<_> = models.map(|(server, model)| (self.name_of(server, model), server)).collect();
        let main = self.main_name();
        listed.sort_by_key(|(name, _)| *name != main);
        listed
    }

    fn name_of(&self, server: &ModelConfig, model: &str) -> String {
        if self.servers_of(model).count() > 1 { server.qualified(model) } else { model.to_owned() }
    }

    /// The model of runs that name none, as a run names it.
    pub fn main_name(&self) -> String {
        let main = self.main();
        self.name_of(main, &main.model)
    }

    /// Finds the server and the model that a run names: a model that one server has, or `server/model`. A model that no
    /// server lists is one of the named server, or of the only one.
    pub fn resolve<'a>(&'a self, named: &str) -> Result<(&'a ModelConfig, String), String> {
        let mut having = self.servers_of(named);
        match (having.next(), having.next()) {
            (Some(server), None) => return Ok((server, named.to_owned())),
            (Some(_), Some(_)) => {
                let names: Vec<String> = self.servers_of(named).map(|server| server.qualified(named)).collect();
                return Err(format!("is offered by several servers: name {}", names.join(" or ")));
            }
            (None, _) => {}
        }
        if let Some((server, model)) = named.split_once('/')
            && let Some(server) = self.find(server)
        {
            return Ok((server, model.to_owned()));
        }
        match self.0.as_slice() {
            [only] => Ok((only, named.to_owned())),
            _ => Err("is listed by no model server: name it as SERVER/MODEL".to_owned()),
        }
    }

    /// The model of a run, as a run names it.
    pub fn named(&self, run: &Parameters) -> String {
        match self.of_run(run.model_server.as_deref()) {
            Some(server) if run.model_server.is_some() => server.qualified(&run.model),
            _ => run.model.clone(),
        }
    }

    fn servers_of(&self, model: &str) -> impl Iterator<Item = &ModelConfig> {
        self.0.iter().filter(move |server| server.models.iter().any(|known| known == model))
    }

    /// The server of each model that runs may name, by the name that they use. Empty in the short form.
    pub fn by_model(&self) -> BTreeMap<String, String> {
        let named = self.listed().into_iter().filter(|(_, server)| server.name != DEFAULT_SERVER);
        named.map(|(model, server)| (model, server.name.clone())).collect()
    }
}

impl ModelConfig {
    /// The model's name with the server's before it.
    fn qualified(&self, model: &str) -> String {
        format!("{}/{model}", self.name)
    }

    /// The `modelServer` of runs that ask this server: none for that of the short form.
    pub fn of_parameters(&self) -> Option<String> {
        (self.name != DEFAULT_SERVER).then(|| self.name.clone())
    }

    /// Why the server cannot be asked with the instance's key; `None`: it has one or needs none.
    pub fn missing_key(&self) -> Option<String> {
        let source = self.key_source.as_ref().filter(|_| self.api_key.is_none())?;
        Some(format!("{source} has no key for the model server {}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(text: &str) -> ModelServers {
        ModelServers(file::parse(text, &FileDefaults::default()).expect("a file"))
    }

    fn two() -> ModelServers {
        servers(
            r#"
            [[server]]
            name = "openai"
            models = [{ name = "gpt-4.1-mini" }, { name = "shared" }]
            [[server]]
            name = "gpu"
            base_url = "http://gpu.example:8000/v1/"
            models = [{ name = "org/llama" }, { name = "shared" }]
            "#,
        )
    }

    #[test]
    fn a_model_of_one_server_goes_by_its_name_and_one_of_several_needs_the_servers() {
        let servers = two();
        let found = |named: &str| servers.resolve(named).map(|(server, model)| (server.name.as_str(), model));
        assert_eq!(found("gpt-4.1-mini"), Ok(("openai", "gpt-4.1-mini".to_owned())));
        assert_eq!(found("org/llama"), Ok(("gpu", "org/llama".to_owned())));
        assert_eq!(found("gpu/org/llama"), Ok(("gpu", "org/llama".to_owned())));
        assert_eq!(found("gpu/shared"), Ok(("gpu", "shared".to_owned())));
        assert_eq!(found("gpu/unlisted"), Ok(("gpu", "unlisted".to_owned())));
        let ambiguous = "is offered by several servers: name openai/shared or gpu/shared";
        assert_eq!(found("shared"), Err(ambiguous.to_owned()));
        assert!(found("unlisted").is_err());
        let listed: Vec<String> = servers.listed().into_iter().map(|(name, _)| name).collect();
        assert_eq!(listed, ["gpt-4.1-mini", "openai/shared", "org/llama", "gpu/shared"]);
        for name in &listed {
            assert!(found(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_main_model_is_the_first_one_or_another_that_is_named() {
        let mut servers = two();
        assert_eq!((servers.main_name().as_str(), servers.main().name.as_str()), ("gpt-4.1-mini", "openai"));
        servers.set_main("gpu", "shared");
        assert_eq!((servers.main_name().as_str(), servers.main().name.as_str()), ("gpu/shared", "gpu"));
        assert_eq!(servers.listed().first().map(|(name, _)| name.as_str()), Some("gpu/shared"));
    }
}
