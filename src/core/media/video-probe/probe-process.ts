/** Measures one untrusted file of video and ends. confined-probe.ts starts this process, confined. */
import { runConfinedWork } from '#platform/confined-process'
import type { ProbeAnswer } from './confined-probe.ts'
import { VideoError } from './fault.ts'
import { probeVideo } from './probe.ts'
import { openSource } from './source.ts'

await runConfinedWork<{ path: string }>(async ({ path }): Promise<ProbeAnswer> => {
  using source = openSource(path)
  try {
    return { video: probeVideo(source) }
  } catch (error) {
    if (error instanceof VideoError) return { fault: error.fault, detail: error.detail }
    throw error
  }
})
