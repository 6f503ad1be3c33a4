import { PlainCounter, type Registry, ScrapedSeries } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    functionHosts: ScrapedSeries<'state'>
    channelLinks: ScrapedSeries<never>
    channelRefusals: PlainCounter
    channelDroppedLines: PlainCounter
  }
}

export function channelSeries(registry: Registry) {
  return {
    functionHosts: new ScrapedSeries(registry, 'gauge', {
      name: 'kherad_function_hosts',
      help: 'On the API: hosts of functions by what this process knows of them: jailed, unsafe_dev, refused (no jail holds there), or away.',
      labelNames: ['state'],
    }),
    channelLinks: new ScrapedSeries<never>(registry, 'gauge', {
      name: 'kherad_function_channel_links',
      help: 'On a host of functions: processes of the API that are connected.',
    }),
    channelRefusals: new PlainCounter(registry, {
      name: 'kherad_function_channel_refusals_total',
      help: 'On a host of functions: connections that did not prove the key of the channel.',
    }),
    channelDroppedLines: new PlainCounter(registry, {
      name: 'kherad_function_channel_dropped_lines_total',
      help: 'On a host of functions: lines of functions that were dropped because the API did not take them.',
    }),
  }
}
