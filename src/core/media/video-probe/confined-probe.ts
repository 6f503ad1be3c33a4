/** Measures video files in a confined process, since a file may be made to harm whoever reads it. */
import path from 'node:path'
import { type FindIsolation, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'
import { VideoError, type VideoFault } from './fault.ts'
import type { ProbedVideo } from './probe.ts'

export interface VideoProbe {
  /**
   * Measures the file at an absolute path, which all users of the system have to be able to read, as a file of `platform/spool` is. The file is read
   * where its tables point, never as a whole. Throws `VideoError` and the signal's reason.
   */
  probe(file: string, requester: Requester): Promise<ProbedVideo>
}

export type ProbeAnswer = { video: ProbedVideo } | { fault: VideoFault; detail: string | undefined }

const places = { working: 2, waiting: 64 }
/** CPU time. A film of half a minute takes a tenth of it, to start the process. */
const timeoutMs = 5_000
const maxOutputBytes = 10_000

export function openVideoProbe(log: Log, isolation?: FindIsolation): VideoProbe {
  const confine = openConfinement(log, places, isolation)
  return {
    async probe(file, requester) {
      const outcome = await confine({
        ...requester,
        module: path.join(import.meta.dirname, 'probe-process.ts'),
        input: { path: file },
        files: [file],
        timeoutMs,
        maxOutputBytes,
      })
      if ('lost' in outcome) throw new VideoError(outcome.lost === 'busy' ? 'busy' : 'lost')
      const answer = outcome.value as ProbeAnswer
      if ('fault' in answer) throw new VideoError(answer.fault, answer.detail)
      return answer.video
    },
  }
}
