import type { VideoJob } from '#media/video'

const firstSeconds = 2
const maxSeconds = 15
/** What has taken long takes longer still. */
const part = 8

/** When asking again is worth it: soon at first, and less often as the job takes longer; 0 once it has ended. */
export function pollSeconds({ pending, createdAt }: VideoJob, nowMs: number): number {
  if (!pending) return 0
  const age = (nowMs - createdAt.getTime()) / 1000
  return Math.min(maxSeconds, Math.max(firstSeconds, Math.round(age / part)))
}
