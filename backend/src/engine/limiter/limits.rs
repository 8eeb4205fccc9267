//! The limits that hold: those that the user set, and those that the model server reports.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;

use crate::config::{ModelConfig, ModelServers};
use crate::models::model_servers::{self, Rates};
use crate::models::simulations::speed::{LimitsByServer, ServerLimits};

/// Until a server reports its limits, if the user set none.
const INITIAL: Rates = Rates { rpm: Some(500), tpm: Some(200_000) };

/// The configured limits, over all workers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    set: Rates,
    initial: Rates,
    pub max_concurrency: u32,
}

impl Limits {
    pub fn new(model: &ModelConfig) -> Self {
        Self {
            set: Rates { rpm: model.rpm, tpm: model.tpm },
            initial: if model.is_demo() { Rates::default() } else { INITIAL },
            max_concurrency: model.max_concurrency,
        }
    }

    /// Reads the limits of the server with this name that hold over all workers now.
    pub async fn shared(&self, conn: &mut AsyncPgConnection, server: &str) -> QueryResult<ServerLimits> {
        let rates = self.rates(model_servers::reported_rates(conn, server).await?);
        Ok(ServerLimits { rates, concurrency: Some(self.max_concurrency).filter(|calls| *calls < u32::MAX) })
    }

    /// The limits that hold over all workers. `reported`: what the server reported, `None` if nothing yet.
    pub fn rates(&self, reported: Option<Rates>) -> Rates {
        match reported {
            Some(reported) => {
                Rates { rpm: smaller(self.set.rpm, reported.rpm), tpm: smaller(self.set.tpm, reported.tpm) }
            }
            None => Rates { rpm: self.set.rpm.or(self.initial.rpm), tpm: self.set.tpm.or(self.initial.tpm) },
        }
    }
}

fn smaller(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}

/// Reads the limits of all model servers that hold over all workers now, by their names.
pub async fn shared_limits(conn: &mut AsyncPgConnection, models: &ModelServers) -> QueryResult<LimitsByServer> {
    let mut limits = LimitsByServer::new();
    for server in models.iter() {
        limits.insert(server.name.clone(), Limits::new(server).shared(conn, &server.name).await?);
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(rpm: impl Into<Option<u32>>, tpm: impl Into<Option<u32>>) -> Rates {
        Rates { rpm: rpm.into(), tpm: tpm.into() }
    }

    #[test]
    fn limits_that_the_user_did_not_set_are_those_that_the_server_reports() {
        let limits = Limits { set: rates(None, None), initial: INITIAL, max_concurrency: 256 };
        assert_eq!(limits.rates(None), rates(500, 200_000), "nothing is known yet");
        assert_eq!(limits.rates(Some(rates(6_000, None))), rates(6_000, None), "it has no limit of tokens");
        assert_eq!(limits.rates(Some(rates(100, 2_000_000))), rates(100, 2_000_000));
    }

    #[test]
    fn of_a_limit_that_is_set_and_one_that_is_reported_the_smaller_holds() {
        let limits = Limits { set: rates(1_000, None), initial: INITIAL, max_concurrency: 256 };
        assert_eq!(limits.rates(None), rates(1_000, 200_000));
        assert_eq!(limits.rates(Some(rates(6_000, 1_000_000))), rates(1_000, 1_000_000));
        assert_eq!(limits.rates(Some(rates(60, None))), rates(60, None));
    }

    #[test]
    fn the_demo_model_has_no_limits_but_those_that_are_set() {
        let limits = Limits { set: rates(None, 9_000), initial: Rates::default(), max_concurrency: u32::MAX };
        assert_eq!(limits.rates(None), rates(None, 9_000));
    }
}
