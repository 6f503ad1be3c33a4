import { collectDefaultMetrics, Registry } from 'prom-client'
import { Counts, Level, Reading, type Spread, Spreads, Total } from './series.ts'
import { figuresOfAll } from './workers.ts'

export type { Count, Counts, Labels, Level, Reading, Spread, Spreads, Total } from './series.ts'
export { gatherFigures } from './workers.ts'

/** The way of a paid request, in order; what each one spans stands in the help of `kherad_stage_seconds`. */
export const stages = ['auth', 'parse', 'hold', 'first_byte', 'first_token', 'stream', 'settle'] as const
export type Stage = (typeof stages)[number]

/** Prometheus metrics of this process. Labels are operations, deployments and outcomes, never callers. */
export interface Metrics {
  requests: Counts<'operation' | 'status'>
  seconds: Spreads<'operation'>
  stages: Readonly<Record<Stage, Spread>>
  streams: Level
  /** Of request bodies, until their requests are over. */
  bodyBytes: Reading<never>
  heldMicrocredits: Total
  chargedMicrocredits: Total
  lostMicrocredits: Total
  /** Holds that were not taken. */
  refusedHolds: Counts<'reason'>
  /** Holds that this process took and has not ended. */
  openHolds: Level
  ledgerBatch: Spread
  ledgerCommitSeconds: Spread
  ledgerQueue: Reading<'kind'>
  upstreamAttempts: Counts<'provider' | 'deployment' | 'outcome'>
  upstreamSeconds: Spreads<'provider'>
  /** What upstreams claim that cannot be, and answers that were cut off past their limit. */
  disbelieved: Counts<'deployment' | 'what'>
  callersLeft: Counts<'provider' | 'action'>
  drains: Reading<'provider'>
  /** 1 for a deployment that gets no calls now. */
  breakers: Reading<'deployment'>
  /** Background work that this process took, by how it ended. */
  jobs: Counts<'job' | 'outcome'>
  webhooks: Counts<'outcome'>
  jobSeconds: Spreads<'job'>
  pool: Reading<'state'>
  keyLookups: Reading<'result'>
  /** What `GET /metrics` answers: of this process, or of all workers if it is one of them. */
  text(): Promise<string>
}

const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const stageBounds = [0.00005, 0.0001, 0.00025, 0.0005, ...secondsBounds]
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export function openMetrics({ isWorker = false } = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'kherad_' })
  return {
    ...requestSeries(registry),
    ...moneySeries(registry),
    ...upstreamSeries(registry),
    ...jobSeries(registry),
    pool: new Reading(registry, 'gauge', {
      name: 'kherad_database_connections',
      help: 'Connections of the pool by state; waiting counts callers without one.',
      labelNames: ['state'],
    }),
    keyLookups: new Reading(registry, 'counter', {
      name: 'kherad_key_lookups_total',
      help: 'API keys found in the cache (hit) or asked of the database (miss).',
      labelNames: ['result'],
    }),
    text: isWorker ? figuresOfAll(registry) : () => registry.metrics(),
  }
}

function requestSeries(registry: Registry) {
  const stage = new Spreads(registry, {
    name: 'kherad_stage_seconds',
    help: 'auth: key to caller. parse: body read and checked. hold: until it is durable. first_byte: upstream call to the first part of its answer. first_token: upstream call to the first token of a streamed answer. stream: first token to the end. settle: until it is durable.',
    labelNames: ['stage'],
    bounds: stageBounds,
  })
  return {
    requests: new Counts(registry, {
      name: 'kherad_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['operation', 'status'],
    }),
    seconds: new Spreads(registry, {
      name: 'kherad_http_request_seconds',
      help: 'From the request line to the end of the answer.',
      labelNames: ['operation'],
      bounds: secondsBounds,
    }),
    // Made at once, so that every stage stands there from the start, at zero.
    stages: Object.fromEntries(stages.map((name) => [name, stage.of({ stage: name })])) as Record<
      Stage,
      Spread
    >,
    bodyBytes: new Reading<never>(registry, 'gauge', {
      name: 'kherad_body_bytes_in_flight',
      help: 'Bytes of request bodies that are held; limits.body_bytes_in_flight bounds them.',
    }),
    streams: new Level(registry, { name: 'kherad_open_streams', help: 'Event streams that are open now.' }),
  }
}

function jobSeries(registry: Registry) {
  return {
    jobs: new Counts(registry, {
      name: 'kherad_jobs_total',
      help: 'Pieces of background work by how they ended: done, later (goes on after a pause), failed (is tried again), parked.',
      labelNames: ['job', 'outcome'],
    }),
    webhooks: new Counts(registry, {
      name: 'kherad_webhook_attempts_total',
      help: 'Events sent to webhooks by how the attempt ended: delivered, retried (it is sent again), failed (it is not).',
      labelNames: ['outcome'],
    }),
    jobSeconds: new Spreads(registry, {
      name: 'kherad_job_seconds',
      help: 'From the start of a piece of background work to its end or pause.',
      labelNames: ['job'],
      bounds: secondsBounds,
    }),
  }
}

function moneySeries(registry: Registry) {
  const alone = (naming: { name: string; help: string; bounds: readonly number[] }): Spread =>
    new Spreads(registry, naming).of({})
  return {
    heldMicrocredits: new Total(registry, {
      name: 'kherad_held_microcredits_total',
      help: 'Micro-credits taken on hold.',
    }),
    chargedMicrocredits: new Total(registry, {
      name: 'kherad_charged_microcredits_total',
      help: 'Micro-credits charged.',
    }),
    lostMicrocredits: new Total(registry, {
      name: 'kherad_platform_loss_microcredits_total',
      help: 'Cost beyond hold and free balance; alarm when it grows.',
    }),
    refusedHolds: new Counts(registry, {
      name: 'kherad_refused_holds_total',
      help: 'Holds that were not taken, by reason.',
      labelNames: ['reason'],
    }),
    openHolds: new Level(registry, {
      name: 'kherad_open_holds',
      help: 'Holds that this process took and has not ended.',
    }),
    ledgerBatch: alone({
      name: 'kherad_ledger_batch_operations',
      help: 'Holds and settlements in one commit.',
      bounds: batchBounds,
    }),
    ledgerCommitSeconds: alone({
      name: 'kherad_ledger_commit_seconds',
      help: 'From sending a commit of the ledger to its answer.',
      bounds: stageBounds,
    }),
    ledgerQueue: new Reading(registry, 'gauge', {
      name: 'kherad_ledger_queue',
      help: 'Holds and settlements that wait for a commit or are in it.',
      labelNames: ['kind'],
    }),
  }
}

function upstreamSeries(registry: Registry) {
  return {
    upstreamAttempts: new Counts(registry, {
      name: 'kherad_upstream_attempts_total',
      help: 'Calls to upstreams by deployment and outcome.',
      labelNames: ['provider', 'deployment', 'outcome'],
    }),
    disbelieved: new Counts(registry, {
      name: 'kherad_upstream_disbelieved_total',
      help: 'Claims of upstreams that cannot be, and answers cut off past their limit; alarm when it grows.',
      labelNames: ['deployment', 'what'],
    }),
    upstreamSeconds: new Spreads(registry, {
      name: 'kherad_upstream_first_part_seconds',
      help: 'From the call to the first part of an upstream answer.',
      labelNames: ['provider'],
      bounds: secondsBounds,
    }),
    callersLeft: new Counts(registry, {
      name: 'kherad_callers_left_total',
      help: 'Callers who left while an upstream worked for them, by what became of its call: cancel, drain, or cancel_at_cap where max_drains were running.',
      labelNames: ['provider', 'action'],
    }),
    drains: new Reading(registry, 'gauge', {
      name: 'kherad_drains',
      help: 'Answers that are read on for callers who left.',
      labelNames: ['provider'],
    }),
    breakers: new Reading(registry, 'gauge', {
      name: 'kherad_breaker_open',
      help: '1 for a deployment that gets no calls now, 0 for one that does.',
      labelNames: ['deployment'],
      // Workers have a breaker each; that it is open in one has to be seen.
      aggregator: 'max',
    }),
  }
}
