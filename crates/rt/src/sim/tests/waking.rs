//! Who is woken by what, also through wakers that are not the running task's own.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use tokio::sync::{Mutex as AsyncMutex, Notify, Semaphore, mpsc, oneshot};

use super::*;
use crate::{Either, join_all, race};

/// Polls its future with a waker of its own, and only if that was woken: as sets of futures do.
struct OwnWaker<F> {
    future: Pin<Box<F>>,
    flag: Arc<Flag>,
}

#[derive(Default)]
struct Flag {
    is_woken: AtomicBool,
    outer: Mutex<Option<Waker>>,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if let Some(outer) = self.outer.lock().unwrap().take() {
            outer.wake();
        }
    }
}

fn own_waker<F: Future>(future: F) -> OwnWaker<F> {
    let flag = Arc::new(Flag { is_woken: AtomicBool::new(true), outer: Mutex::default() });
    OwnWaker { future: Box::pin(future), flag }
}

impl<F: Future> Future for OwnWaker<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        *self.flag.outer.lock().unwrap() = Some(cx.waker().clone());
        if !self.flag.is_woken.swap(false, Ordering::SeqCst) {
            return Poll::Pending;
        }
        let waker = Waker::from(Arc::clone(&self.flag));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

/// Counts its polls; never ends.
fn count_polls(polls: &Arc<AtomicUsize>) -> impl Future<Output = ()> + use<> {
    let polls = Arc::clone(polls);
    std::future::poll_fn(move |_| {
        polls.fetch_add(1, Ordering::Relaxed);
        Poll::Pending
    })
}

#[test]
fn waits_inside_a_set_of_futures_wake_the_set() {
    simulate(|rt| async move {
        let waits = [30, 10, 20].map(|after| own_waker(rt.sleep(ms(after))));
        join_all(waits).await;
        assert_eq!(rt.now(), at_ms(30));
        let timed = own_waker(rt.timeout_at(at_ms(40), own_waker(std::future::pending::<()>())));
        assert!(timed.await.is_err());
        assert_eq!(rt.now(), at_ms(40));
        let joined = [1, 2, 3].map(|after| {
            let timer = rt.clone();
            own_waker(rt.spawn("task", async move {
                timer.sleep(ms(after)).await;
                after
            }))
        });
        assert_eq!(join_all(joined).await, [1, 2, 3]);
        let raced = race(own_waker(rt.sleep(ms(9))), own_waker(rt.sleep(ms(4)))).await;
        assert_eq!((raced, rt.now()), (Either::Second(()), at_ms(47)));
    });
}

#[test]
fn a_wait_follows_the_task_that_polled_it_last() {
    simulate(|rt| async move {
        let mut sleep = rt.sleep(ms(5));
        // Registered by this task, then polled with a foreign waker, then handed to another task.
        assert_eq!(race(&mut sleep, std::future::ready(())).await, Either::Second(()));
        assert_eq!(race(own_waker(&mut sleep), std::future::ready(())).await, Either::Second(()));
        let timer = rt.clone();
        let other = rt.spawn("other", async move {
            sleep.await;
            timer.now()
        });
        assert_eq!(other.await, at_ms(5));
    });
}

#[test]
fn tokio_sync_works_alone_and_inside_sets() {
    simulate(|rt| async move {
        let lock = Arc::new(AsyncMutex::new(Vec::new()));
        let permits = Arc::new(Semaphore::new(2));
        let workers: Vec<_> = (0..6)
            .map(|number| {
                let (rt, lock, permits) = (rt.clone(), Arc::clone(&lock), Arc::clone(&permits));
                rt.clone().spawn("worker", async move {
                    let _permit = own_waker(permits.acquire()).await.unwrap();
                    rt.sleep(ms(10)).await;
                    let mut done = lock.lock().await;
                    rt.sleep(ms(1)).await;
                    done.push((number, rt.now()));
                })
            })
            .collect();
        join_all(workers).await;
        let done = lock.lock().await.clone();
        // Two at a time; the second of each pair waits 1 ms for the lock.
        let expected = [11, 12, 22, 23, 33, 34].map(at_ms);
        assert_eq!(done, (0..6).zip(expected).collect::<Vec<_>>());
    });
}

#[test]
fn oneshot_notify_and_channel_hand_over_within_the_instant() {
    simulate(|rt| async move {
        let (to, from) = oneshot::channel();
        let (queue, mut inbox) = mpsc::channel(2);
        let bell = Arc::new(Notify::new());
        rt.spawn_detached("sender", {
            let (rt, bell) = (rt.clone(), Arc::clone(&bell));
            async move {
                rt.sleep(ms(1)).await;
                to.send(7).unwrap();
                for number in 0..10 {
                    queue.send(number).await.unwrap();
                }
                bell.notify_one();
            }
        });
        assert_eq!(own_waker(from).await, Ok(7));
        for number in 0..10 {
            assert_eq!(own_waker(inbox.recv()).await, Some(number));
        }
        bell.notified().await;
        assert_eq!(rt.now(), at_ms(1));
    });
}

#[test]
fn many_wake_ups_before_its_turn_make_one_poll() {
    simulate(|rt| async move {
        let polls = Arc::new(AtomicUsize::new(0));
        let waker = Arc::new(Mutex::new(None::<Waker>));
        rt.spawn_detached("task", {
            let (polls, waker) = (Arc::clone(&polls), Arc::clone(&waker));
            std::future::poll_fn(move |cx| {
                polls.fetch_add(1, Ordering::Relaxed);
                *waker.lock().unwrap() = Some(cx.waker().clone());
                Poll::Pending
            })
        });
        rt.sleep(ms(1)).await;
        let waker = waker.lock().unwrap().take().unwrap();
        for _ in 0..5 {
            waker.wake_by_ref();
        }
        rt.sleep(ms(1)).await;
        assert_eq!(polls.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn a_waker_of_a_task_that_has_ended_wakes_nobody() {
    simulate(|rt| async move {
        let stale = Arc::new(Mutex::new(None::<Waker>));
        let keep = Arc::clone(&stale);
        rt.spawn(
            "short",
            std::future::poll_fn(move |cx| {
                *keep.lock().unwrap() = Some(cx.waker().clone());
                Poll::Ready(())
            }),
        )
        .await;
        // The slots that have come free are used again.
        let polls = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            rt.spawn_detached("next", count_polls(&polls));
        }
        rt.sleep(ms(1)).await;
        stale.lock().unwrap().take().unwrap().wake();
        rt.sleep(ms(1)).await;
        assert_eq!(polls.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn an_aborted_task_is_dropped_within_the_instant_but_not_under_the_callers_feet() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            let stone = Tombstone { log: log.clone(), text: "dropped" };
            let timer = rt.clone();
            let task = rt.spawn("victim", async move {
                timer.sleep(ms(60)).await;
                drop(stone);
            });
            rt.sleep(ms(1)).await;
            task.abort();
            log.push("aborted");
            assert!(!task.is_finished());
            rt.sleep_until_class(rt.now(), crate::Class::Timeout).await;
            assert!(task.is_finished());
            log.push(rt.now().to_string());
            task.abort();
            rt.sleep(ms(1)).await;
        }
    });
    assert_eq!(log.take(), ["aborted", "dropped", "1ms"]);
}

#[test]
fn a_task_may_abort_itself() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            let (to, own) = oneshot::channel::<crate::JoinHandle<()>>();
            let stone = Tombstone { log: log.clone(), text: "dropped" };
            let task = rt.spawn("victim", async move {
                own.await.unwrap().abort();
                std::future::pending::<()>().await;
                drop(stone);
            });
            to.send(task).unwrap();
            rt.sleep(ms(1)).await;
            log.push("later");
        }
    });
    assert_eq!(log.take(), ["dropped", "later"]);
}

#[test]
#[should_panic(expected = "waited for a task of kind \"victim\" that was aborted")]
fn waiting_for_an_aborted_task_is_a_mistake_and_says_so() {
    simulate(|rt| async move {
        let task = rt.spawn("victim", std::future::pending::<()>());
        task.abort();
        task.await;
    });
}

#[test]
fn another_thread_may_wake_a_task() {
    let (to, mut from) = oneshot::channel();
    let thread = std::thread::spawn(move || to.send(7).unwrap());
    let received = simulate(|rt| async move {
        loop {
            // Time must pass, or there would be nothing that can come.
            if let Either::First(received) = race(&mut from, rt.sleep(ms(1))).await {
                return received;
            }
        }
    });
    thread.join().unwrap();
    assert_eq!(received, Ok(7));
}

#[test]
fn an_output_that_is_ready_before_it_is_asked_for_waits() {
    simulate(|rt| async move {
        let task = rt.spawn("quick", async { String::from("done") });
        rt.sleep(ms(1)).await;
        assert!(task.is_finished());
        assert_eq!(task.await, "done");
    });
}
