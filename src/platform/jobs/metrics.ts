import { Counter, Histogram, type Registry, secondsBounds } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    /** Background work that this process took, by how it ended. */
    jobs: Counter<'job' | 'outcome'>
    jobSeconds: Histogram<'job'>
  }
}

export function jobSeries(registry: Registry) {
  return {
    jobs: new Counter(registry, {
      name: 'kherad_jobs_total',
      help: 'Pieces of background work by how they ended: done, later (goes on after a pause), failed (is tried again), parked.',
      labelNames: ['job', 'outcome'],
    }),
  }
}

/** Apart, since another room has a series between the two. */
export function jobTimeSeries(registry: Registry) {
  return {
    jobSeconds: new Histogram(registry, {
      name: 'kherad_job_seconds',
      help: 'From the start of a piece of background work to its end or pause.',
      labelNames: ['job'],
      bounds: secondsBounds,
    }),
  }
}
