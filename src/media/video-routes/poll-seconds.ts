import type { VideoJob } from '#media/video'

const firstSeconds = 2
const maxSeconds = 15
/** The wait is this fraction of the job's age: a job that has taken long will take longer still. */
const part = 8

/** The seconds after which the client should ask again: few at first, and more as the job takes longer; 0 once it has ended. */
export function pollSeconds({ pending, createdAt }: VideoJob, nowMs: number): number {
  if (!pending) return 0
  const age = (nowMs - createdAt.getTime()) / 1000
  return Math.min(maxSeconds, Math.max(firstSeconds, Math.round(age / part)))
}
