import { Counter, Gauge, Histogram, type Registry, secondsBounds } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    functionCalls: Counter<'outcome'>
    functionSeconds: Histogram<'outcome'>
    functionStartSeconds: Histogram<never>
    functionKills: Counter<'reason'>
    functionProcesses: Gauge
  }
}

export function functionSeries(registry: Registry) {
  return {
    functionCalls: new Counter(registry, {
      name: 'kherad_function_calls_total',
      help: 'Calls of functions that ended: answered, left, or the code of their error.',
      labelNames: ['outcome'],
    }),
    functionSeconds: new Histogram(registry, {
      name: 'kherad_function_seconds',
      help: 'From a call of a function to the headers of its answer, with the time in which it waited for its turn.',
      labelNames: ['outcome'],
      bounds: secondsBounds,
    }),
    functionStartSeconds: new Histogram(registry, {
      name: 'kherad_function_start_seconds',
      help: 'From a call that needs a new process of functions to the headers of its answer.',
      labelNames: [],
      bounds: secondsBounds,
    }),
    functionKills: new Counter(registry, {
      name: 'kherad_function_kills_total',
      help: 'Processes of functions that did not end of themselves: cpu, memory, threads, crashed.',
      labelNames: ['reason'],
    }),
    functionProcesses: new Gauge(registry, {
      name: 'kherad_function_processes',
      help: 'Processes of functions that run.',
    }),
  }
}
