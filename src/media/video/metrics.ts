import { Counter, Histogram, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    /** The video jobs that ended, by outcome. */
    videos: Counter<'outcome'>
    videoSeconds: Histogram<'outcome'>
    videoLooks: Counter<'provider' | 'outcome'>
    /** Orders of videos that may have been billed although no video was delivered. */
    videosLost: Counter<'what'>
  }
}

/** The buckets in seconds, since videos take minutes. */
const minutes = [5, 15, 30, 60, 120, 180, 300, 600, 1_200, 2_700]

export function videoSeries(registry: Registry) {
  return {
    videos: new Counter(registry, {
      name: 'kherad_videos_total',
      help: 'Video jobs that ended: completed, or the code of their error.',
      labelNames: ['outcome'],
    }),
    videoSeconds: new Histogram(registry, {
      name: 'kherad_video_seconds',
      help: 'From accepting a video to its end.',
      labelNames: ['outcome'],
      bounds: minutes,
    }),
    videoLooks: new Counter(registry, {
      name: 'kherad_video_looks_total',
      help: 'Looks at jobs of vendors: found, missing (the vendor knows no such job), failed.',
      labelNames: ['provider', 'outcome'],
    }),
    videosLost: new Counter(registry, {
      name: 'kherad_videos_lost_total',
      help: 'Orders of videos whose answer was lost (ambiguous) and those of them that turned up after their end (late); alarm when it grows.',
      labelNames: ['what'],
    }),
  }
}
