import { Counter, Histogram, type Registry, secondsBounds } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    /** Background jobs that this process ran, by their outcome. */
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

/** The series are declared separately, because another room's series stands between them. */
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
