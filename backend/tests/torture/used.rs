//! A `serve` that is used over HTTP is killed with `kill -9`: alone, with its private PostgreSQL, during its start, and
//! while it starts a run. Its PostgreSQL is also killed alone.

use std::time::Duration;

use diesel_async::{AsyncConnection, AsyncPgConnection};
use model_server::{Faults, ModelServer};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::{Instant, sleep};

use super::cluster::Cluster;
use super::experiment::number;
use super::http::{BUDGET, REQUESTS, Researcher, TIMEOUT};
use super::nine_checks::nine_checks;
use super::program::{Program, SURPLUS, verify};
use super::seed::seeded;

const KILLS: usize = 30;

/// The victim of a kill.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Serve,
    ServeAndDatabase,
    /// `serve` is killed, and so is its successor during its start.
    ServeTwice,
    /// The database alone: `serve` survives and starts it again.
    Database,
}

impl Victim {
    fn draw(random: &mut StdRng) -> Self {
        match random.random_range(0..6) {
            0 | 1 => Self::Serve,
            2 | 3 => Self::ServeAndDatabase,
            4 => Self::ServeTwice,
            _ => Self::Database,
        }
    }
}

struct Laboratory {
    serving: Option<Program>,
    researcher: Researcher,
    stub: ModelServer,
    /// All started runs, in this order.
    runs: Vec<String>,
    /// Dropped last, because processes use it.
    cluster: Cluster,
}

impl Laboratory {
    async fn open() -> Self {
        let mut cluster = Cluster::start();
        cluster.hand_over();
        Researcher::register(data_dir(&cluster));
        let stub = ModelServer::start(Faults::default().latency_ms(50));
        let mut serving = serve(&cluster, &stub);
        let researcher = Researcher::prepare(serving.url(), cluster.data_dir()).await;
        Self { serving: Some(serving), researcher, stub, runs: Vec::new(), cluster }
    }

    /// Kills the victim at a random moment of a run, or of the start of the next one.
    async fn kill_once(&mut self, random: &mut StdRng) {
        let victim = Victim::draw(random);
        let run = match self.active().await {
            None if random.random_ratio(1, 3) => return self.kill_during_a_start(victim, random).await,
            None => self.start().await,
            Some(run) => run,
        };
        self.work(&run, random.random_range(1..200)).await;
        let before = self.researcher.progress(&run).await;
        println!("{victim:?} dies, {before:?}");
        self.kill(victim, random).await;
        let after = self.researcher.progress(&run).await;
        let is_less = after.successful < before.successful || before.is_over() && !after.is_over();
        assert!(!is_less, "{before:?} was shown before, {after:?} after");
    }

    async fn kill_during_a_start(&mut self, victim: Victim, random: &mut StdRng) {
        println!("{victim:?} dies under a start");
        let starting = tokio::spawn(self.researcher.start(&self.key()).send());
        sleep(Duration::from_millis(random.random_range(0..40))).await;
        self.kill(victim, random).await;
        // Done or not, answered or not: the next start under its key shows it.
        let _ = starting.await.expect("it is sent");
        self.start().await;
    }

    async fn kill(&mut self, victim: Victim, random: &mut StdRng) {
        if let Victim::Database = victim {
            self.cluster.kill();
            let begun = Instant::now();
            drop(self.connect().await);
            println!("its database is back after {:?}", begun.elapsed());
        } else {
            self.serving.take().expect("it runs").kill();
            match victim {
                Victim::ServeAndDatabase => self.cluster.kill(),
                _ => self.check().await,
            }
            if let Victim::ServeTwice = victim {
                let starting = serve(&self.cluster, &self.stub);
                sleep(Duration::from_millis(random.random_range(0..1_500))).await;
                starting.kill();
            }
            let mut serving = serve(&self.cluster, &self.stub);
            self.researcher.follow(&mut serving);
            self.serving = Some(serving);
        }
    }

    /// Waits for this number of further calls, or for the run's end.
    async fn work(&self, run: &str, calls: usize) {
        let calls = self.stub.calls().len() + calls;
        tokio::select! {
            () = self.stub.reached(calls) => (),
            _ = self.researcher.over(run) => (),
        }
    }

    /// The key of the next run.
    fn key(&self) -> String {
        format!("run {}", self.runs.len() + 1)
    }

    async fn start(&mut self) -> String {
        let run = self.researcher.started(&self.key()).await;
        assert!(!self.runs.contains(&run), "{run} was started before");
        self.runs.push(run.clone());
        run
    }

    /// The run that is not over.
    async fn active(&self) -> Option<String> {
        let run = self.runs.last()?;
        let shown = self.researcher.progress(run).await;
        (!shown.is_over()).then(|| run.clone())
    }

    /// Checks the invariants of the database that hold at any moment.
    async fn check(&self) {
        nine_checks(&mut self.connect().await).await;
    }

    /// Connects to the database, and waits for it if it was killed.
    async fn connect(&self) -> AsyncPgConnection {
        let begun = Instant::now();
        loop {
            match AsyncPgConnection::establish(self.cluster.url()).await {
                Ok(connection) => return connection,
                Err(reason) => assert!(begun.elapsed() < TIMEOUT, "{reason}"),
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Checks that every request of every run is answered once and paid once.
    async fn conclude(mut self) {
        for run in &self.runs {
            let shown = self.researcher.over(run).await;
            assert_eq!((shown.status.as_str(), shown.successful), ("COMPLETED", REQUESTS as i64));
        }
        let connection = &mut self.connect().await;
        let requests = (self.runs.len() * REQUESTS) as i64;
        for (count, expected) in [
            ("SELECT count(*) AS number FROM simulations", self.runs.len() as i64),
            ("SELECT count(*) AS number FROM responses", requests),
            ("SELECT sum(amount)::bigint AS number FROM transactions WHERE type = 'MINES'", requests),
            ("SELECT sum(budget)::bigint AS number FROM group_members", BUDGET - requests),
            ("SELECT sum(held)::bigint AS number FROM group_members", 0),
            ("SELECT count(*) AS number FROM pgmq.q_interviews", 0),
        ] {
            assert_eq!(number(connection, count).await, expected, "{count}");
        }
        nine_checks(connection).await;
        verify(data_dir(&self.cluster));
        let surplus = self.stub.calls().len() - requests as usize;
        println!("{} runs, {requests} answers, {surplus} calls whose answers died with a process", self.runs.len());
        assert!(surplus <= KILLS * SURPLUS, "{surplus} calls too many");
        assert!(self.serving.take().expect("it runs").terminate().success());
    }
}

fn data_dir(cluster: &Cluster) -> (&'static str, &str) {
    ("DATA_DIR", cluster.data_dir().to_str().expect("a path of text"))
}

fn serve(cluster: &Cluster, stub: &ModelServer) -> Program {
    Program::start(&["serve", "--port", "0"], data_dir(cluster), &stub.base_url())
}

#[tokio::test]
#[ignore = "slow: many kills"]
async fn a_serve_killed_thirty_times_under_somebody_who_uses_it_over_http_loses_nothing_and_bills_nothing_twice() {
    let mut random = seeded();
    let mut laboratory = Laboratory::open().await;
    for kill in 1..=KILLS {
        let seed = random.random();
        print!("kill {kill} of {KILLS}, seed {seed}: ");
        laboratory.kill_once(&mut StdRng::seed_from_u64(seed)).await;
        laboratory.check().await;
        verify(data_dir(&laboratory.cluster));
    }
    laboratory.conclude().await;
}
