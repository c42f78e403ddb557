//! Pages are fetched one after another, and only when wanted.

use stoa_session::{Answer, Column, DataType, PagingState};
use stoa_session::{Applied, Error, ErrorKind, Outcome, Rows, Session, Shortcuts};

use crate::scripted::{Scripted, page, wait};

#[test]
fn all_rows_come_from_all_pages_even_from_empty_ones() {
    let session = Scripted::answering(vec![
        page(&[1, 2], Some(b"a")),
        page(&[], Some(b"b")),
        page(&[3], None),
    ]);
    let rows: Vec<(i32,)> = wait(async {
        let bound = session.prepare("SELECT n FROM t").await?.bind(())?;
        session.all(&bound).await
    })
    .unwrap();
    assert_eq!(rows, [(1,), (2,), (3,)]);
    let asked = session.asked.lock().unwrap();
    let asked: Vec<_> = asked
        .iter()
        .map(|at| at.as_ref().map(PagingState::as_bytes))
        .collect();
    assert_eq!(asked, [None, Some(&b"a"[..]), Some(&b"b"[..])]);
}

#[test]
fn a_stream_asks_for_a_page_when_it_needs_one() {
    let session = Scripted::answering(vec![page(&[1, 2], Some(b"a")), page(&[3], None)]);
    wait(async {
        let bound = session.prepare("SELECT n FROM t").await?.bind(())?;
        let mut rows = session.stream::<(i32,)>(bound);
        assert_eq!(rows.next().await?, Some((1,)));
        assert_eq!(rows.next().await?, Some((2,)));
        assert_eq!(session.asked.lock().unwrap().len(), 1);
        assert_eq!(rows.next().await?, Some((3,)));
        assert_eq!(rows.next().await?, None);
        assert_eq!(rows.next().await?, None);
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn a_stream_ends_after_an_error() {
    let gone = Error::not_applied(ErrorKind::Unreachable, "gone");
    let session = Scripted::answering(vec![page(&[1], Some(b"a")), Err(gone)]);
    wait(async {
        let bound = session
            .prepare("SELECT n FROM t")
            .await
            .unwrap()
            .bind(())
            .unwrap();
        let mut rows = session.stream::<(i32,)>(bound);
        assert_eq!(rows.next().await.unwrap(), Some((1,)));
        assert_eq!(
            rows.next().await.unwrap_err().kind(),
            ErrorKind::Unreachable
        );
        assert_eq!(rows.next().await.unwrap(), None);
    });
}

#[test]
fn the_first_row_may_be_on_a_later_page() {
    let session = Scripted::answering(vec![page(&[], Some(b"a")), page(&[7, 8], None)]);
    let first: Option<(i32,)> = wait(async {
        let bound = session.prepare("SELECT n FROM t").await?.bind(())?;
        session.first(&bound).await
    })
    .unwrap();
    assert_eq!(first, Some((7,)));
}

#[test]
fn a_conditional_write_says_whether_it_happened() {
    let answer = |applied: u8| {
        let columns = [
            Column::new("[applied]", DataType::Boolean),
            Column::new("v", DataType::Int),
        ];
        let mut rows = Rows::with_columns(columns.into());
        rows.push([Some(&[applied][..]), None]).unwrap();
        Ok(Answer::of_rows(rows))
    };
    let session = Scripted::answering(vec![answer(1), answer(0), page(&[1], None)]);
    wait(async {
        let bound = session
            .prepare("UPDATE t ...")
            .await
            .unwrap()
            .bind(())
            .unwrap();
        assert!(session.apply(&bound).await.unwrap().is_yes());
        match session.apply(&bound).await.unwrap() {
            Applied::No(rows) => assert_eq!(rows.len(), 1),
            Applied::Yes => panic!("it was refused"),
        }
        // Whoever forgot the condition has written: the error says that this is not known.
        let error = session.apply(&bound).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
    });
}

#[test]
fn sessions_can_be_chosen_at_run_time() {
    let session: Box<dyn Session> = Box::new(Scripted::answering(vec![page(&[4], None)]));
    let answer = wait(session.query("SELECT n FROM t", ())).unwrap();
    assert_eq!(answer.into_rows().first().unwrap().get::<i32>("n"), Ok(4));
}
