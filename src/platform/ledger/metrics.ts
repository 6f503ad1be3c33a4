import {
  Counter,
  fineSecondsBounds,
  Gauge,
  Histogram,
  type HistogramChild,
  PlainCounter,
  type Registry,
  ScrapedSeries,
} from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    heldMicrocredits: PlainCounter
    chargedMicrocredits: PlainCounter
    lostMicrocredits: PlainCounter
    /** Holds that were refused, by reason. */
    refusedHolds: Counter<'reason'>
    /** Holds that this process has taken and not yet ended. */
    openHolds: Gauge
    ledgerBatch: HistogramChild
    ledgerCommitSeconds: HistogramChild
    ledgerQueue: ScrapedSeries<'kind'>
  }
}

const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export function ledgerSeries(registry: Registry) {
  const alone = (naming: { name: string; help: string; bounds: readonly number[] }): HistogramChild =>
    new Histogram(registry, naming).of({})
  return {
    heldMicrocredits: new PlainCounter(registry, {
      name: 'kherad_held_microcredits_total',
      help: 'Micro-credits taken on hold.',
    }),
    chargedMicrocredits: new PlainCounter(registry, {
      name: 'kherad_charged_microcredits_total',
      help: 'Micro-credits charged.',
    }),
    lostMicrocredits: new PlainCounter(registry, {
      name: 'kherad_platform_loss_microcredits_total',
      help: 'Cost beyond hold and free balance, and of results that could not be stored; alarm when it grows.',
    }),
    refusedHolds: new Counter(registry, {
      name: 'kherad_refused_holds_total',
      help: 'Holds that were not taken, by reason.',
      labelNames: ['reason'],
    }),
    openHolds: new Gauge(registry, {
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
      bounds: fineSecondsBounds,
    }),
    ledgerQueue: new ScrapedSeries(registry, 'gauge', {
      name: 'kherad_ledger_queue',
      help: 'Holds and settlements that wait for a commit or are in it.',
      labelNames: ['kind'],
    }),
  }
}
