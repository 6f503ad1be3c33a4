/** Finds out in which parts of decoded sound somebody speaks, and ends. listen.ts starts this process, confined. */
import { runConfinedWork } from '#platform/confined-process'
import { type ByteRange, soundOf } from './decoded-sound.ts'
import { hasSpeech } from './has-speech.ts'

export interface ListenInput {
  /** The file of the samples, and how many bytes it has. */
  pcm: { path: string; bytes: number }
  parts: readonly ByteRange[]
}

await runConfinedWork<ListenInput>(async ({ pcm, parts }): Promise<boolean[]> => {
  const spoken: boolean[] = []
  for (const part of parts) spoken.push(await hasSpeech(soundOf(pcm, part)))
  return spoken
})
