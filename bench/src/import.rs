//! `twinlab personas import` of a parquet file as large as the published one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::bench::{Bench, Failure, Result};
use crate::inputs;
use crate::report::Row;
use crate::twinlab::{Running, Watched};
use crate::workloads::IMPORT;

const PERSONAS: usize = 2_058;
const TEXT_BYTES: usize = 170_000;
const DATABASE: &str = "import";
const SECONDS: f64 = 60.0;
const MEGABYTES: f64 = 600.0;

pub async fn measure(bench: &Bench) -> Vec<Row> {
    eprintln!("{IMPORT}");
    let (seconds, megabytes, note) = match import(bench).await {
        Ok((seconds, watched)) => {
            let note = format!("CPU {:.1} s", watched.cpu.as_secs_f64());
            (Some(seconds), Some(watched.peak_bytes as f64 / 1e6), note)
        }
        Err(error) => (None, None, error.to_string().replace(['|', '\n'], " ")),
    };
    let row = |what: &str, target, measured| Row {
        workload: IMPORT,
        what: what.to_owned(),
        target: Some(target),
        measured,
        note: note.clone(),
    };
    vec![row("time, s", SECONDS, seconds), row("peak memory, MB", MEGABYTES, megabytes)]
}

async fn import(bench: &Bench) -> Result<(f64, Watched)> {
    let file = bench.directory.join("personas.parquet");
    write(&file)?;
    bench.cluster.create(DATABASE, "template0").await?;
    let twinlab = bench.twinlab(DATABASE);
    twinlab.run("migrate", &["migrate"])?;
    let began = Instant::now();
    let process = twinlab.command("import")?.args(["personas", "import"]).arg(&file).spawn()?;
    let watched = Running(process).watch().await.map_err(|how| twinlab.failed("import", &how))?;
    let seconds = began.elapsed().as_secs_f64();
    let stored = bench.cluster.open(DATABASE).await?.query_one("SELECT count(*) FROM personas", &[]).await?;
    if stored.try_get::<_, i64>(0)? != PERSONAS as i64 {
        return Err(Failure("not every persona was stored".into()));
    }
    bench.cluster.drop(DATABASE).await?;
    Ok((seconds, watched))
}

/// Writes one row group in Snappy, with a dictionary and pages of 1,024 rows, as pandas does.
fn write(path: &Path) -> Result<()> {
    let schema = "message schema { required binary pid (UTF8); required binary persona_text (UTF8);
        required binary persona_summary (UTF8); }";
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(schema)?);
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let columns: [fn(usize) -> String; 3] =
        [|n| n.to_string(), |n| inputs::profile_of(n, TEXT_BYTES), |n| inputs::profile(n)];
    for cell in columns {
        let cells: Vec<ByteArray> = (1..=PERSONAS).map(|n| cell(n).into_bytes().into()).collect();
        if let Some(mut column) = group.next_column()? {
            column.typed::<ByteArrayType>().write_batch(&cells, None, None)?;
            column.close()?;
        }
    }
    group.close()?;
    writer.close()?;
    Ok(())
}
