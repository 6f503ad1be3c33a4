/** Checks a running server over HTTP, and holds that only the database knows. */
import type { Config } from '#platform/config'
import type { Session } from '../command.ts'
import { broken, type DoctorCheck, ok, runCheck, skipped } from './check.ts'
import { liveTitles, livePhrases as words } from './live-phrases.ts'
import { bucketsOf, quantile, readSamples, type Samples, sumOf } from './samples.ts'
import * as store from './store.ts'

const timeoutMs = 5_000
/** The event loop lag above which every answer of the process is late. */
const maxLagSeconds = 0.1
/** Maximum 99th percentile of our own part of a call, in seconds; the time of upstreams is not included. */
const maxSeconds = { auth: 0.05, parse: 0.25, hold: 0.25, settle: 0.5 } as const

/** Runs all checks against the server at `KHERAD_BASE_URL`, else at its host and port. */
export async function checkLive(session: Session, config: Config): Promise<DoctorCheck[]> {
  const [ready, samples, holds] = await Promise.all([
    runCheck('live_ready', () => checkReady(config.baseUrl)),
    fetchMetrics(config.baseUrl),
    runCheck('live_holds', () => checkHolds(session, config)),
  ])
  if (typeof samples === 'string')
    return [ready, broken('live_metrics', words.noMetrics(config.baseUrl, samples)), ...without(), holds]
  return [
    ready,
    checkWorkers(samples, config.baseUrl),
    checkStages(samples),
    checkPool(samples),
    checkLag(samples),
    checkLoss(samples),
    checkBreakers(samples),
    holds,
  ]
}

const without = (): DoctorCheck[] =>
  (['live_stages', 'live_pool', 'live_event_loop', 'live_loss', 'live_breakers'] as const).map((name) =>
    skipped(name, words.standsOn(liveTitles.live_metrics)),
  )

const request = (baseUrl: string, path: string): Promise<Response> =>
  fetch(`${baseUrl}${path}`, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })

async function checkReady(baseUrl: string): Promise<DoctorCheck> {
  const reply = await request(baseUrl, '/health/ready').catch(() => undefined)
  await reply?.body?.cancel()
  if (!reply) return broken('live_ready', words.away(baseUrl))
  // Every answer of this server has both headers, and no other server's has.
  const ours = reply.headers.has('x-request-id') && reply.headers.has('request-id')
  if (!ours) return broken('live_ready', words.notOurs(baseUrl))
  return reply.ok ? ok('live_ready', words.ready()) : broken('live_ready', words.notReady(reply.status))
}

/** The samples of the server, or why there are none. */
async function fetchMetrics(baseUrl: string): Promise<Samples | string> {
  try {
    const reply = await request(baseUrl, '/metrics')
    if (!reply.ok) return `HTTP ${reply.status}`
    const samples = readSamples(await reply.text())
    return samples.has('kherad_open_streams') ? samples : 'kherad_open_streams'
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    return cause?.code ?? (error as Error).name
  }
}

/** Checks that all workers answered. One of several workers answers for all of them; a single process names none. */
function checkWorkers(samples: Samples, baseUrl: string): DoctorCheck {
  if (!samples.has('kherad_workers')) return ok('live_metrics', words.metrics(baseUrl))
  const of = (state: string): number => sumOf(samples, 'kherad_workers', { state })
  const [answered, silent] = [of('answered'), of('silent')]
  return silent > 0
    ? broken('live_metrics', words.silentWorkers(silent, answered + silent))
    : ok('live_metrics', words.workers(baseUrl, answered))
}

function checkStages(samples: Samples): DoctorCheck {
  const slow: string[] = []
  const shown: string[] = []
  for (const [stage, max] of Object.entries(maxSeconds)) {
    const seconds = quantile(bucketsOf(samples, 'kherad_stage_seconds', { stage }), 0.99)
    if (seconds === undefined) continue
    const text = `${stage} ${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms`
    shown.push(text)
    if (seconds > max) slow.push(text)
  }
  if (slow.length > 0) return broken('live_stages', words.slow(slow.join(', ')))
  return ok('live_stages', shown.length === 0 ? words.noCalls() : words.stages(shown.join(', ')))
}

function checkPool(samples: Samples): DoctorCheck {
  const of = (state: string): number => sumOf(samples, 'kherad_database_connections', { state })
  const waiting = of('waiting')
  return waiting > 0
    ? broken('live_pool', words.poolWaits(waiting, of('busy')))
    : ok('live_pool', words.pool(of('busy'), of('idle')))
}

function checkLag(samples: Samples): DoctorCheck {
  const seconds = sumOf(samples, 'kherad_nodejs_eventloop_lag_p99_seconds')
  const ms = Math.round(seconds * 1000)
  return seconds > maxLagSeconds
    ? broken('live_event_loop', words.lag(ms, maxLagSeconds * 1000))
    : ok('live_event_loop', words.noLag(ms))
}

function checkLoss(samples: Samples): DoctorCheck {
  const lost = sumOf(samples, 'kherad_platform_loss_microcredits_total')
  return lost > 0 ? broken('live_loss', words.loss((lost / 1e6).toFixed(6))) : ok('live_loss', words.noLoss())
}

function checkBreakers(samples: Samples): DoctorCheck {
  const all = samples.get('kherad_breaker_open') ?? []
  const open = all.filter(({ value }) => value > 0).map(({ labels }) => labels['deployment'] ?? '')
  return open.length > 0
    ? broken('live_breakers', words.breakers(open.join(', ')))
    : ok('live_breakers', words.noBreakers(all.length))
}

/** Checks the holds. One past its time, or of a process without heartbeats, is ended by any living process within one lease or two. */
async function checkHolds(session: Session, { timing }: Config): Promise<DoctorCheck> {
  const db = await session.openedDb().catch(() => undefined)
  if (!db) return skipped('live_holds', words.noDatabase())
  const stale = await store.staleHolds(db, timing.processLeaseMs * 2)
  if (stale === undefined) return skipped('live_holds', words.noDatabase())
  return stale.count > 0n
    ? broken('live_holds', words.staleHolds(Number(stale.count), stale.open))
    : ok('live_holds', words.holds(stale.open))
}
