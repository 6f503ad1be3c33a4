import { Counter, Gauge, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    webrtcConnections: Gauge
    webrtcDropped: Counter<'reason'>
  }
}

export function webrtcSeries(registry: Registry) {
  return {
    webrtcConnections: new Gauge(registry, {
      name: 'kherad_webrtc_connections',
      help: 'Connections of WebRTC of this process, those that are being made among them.',
    }),
    webrtcDropped: new Counter(registry, {
      name: 'kherad_webrtc_dropped_total',
      help: 'Datagrams thrown away unread: of nobody who has shown the password of a connection (stranger), none of WebRTC (malformed), beyond the rate of an honest client (flood).',
      labelNames: ['reason'],
    }),
  }
}
