import { phraseText } from '../phrases.ts'
import type { Measured } from './hear.ts'

/** In LUFS: what is quieter has nothing in it that anybody would write down. */
const silence = -60

/** One honest sentence about a recording whose words the sandbox does not know; nothing of silence. Persian, unless English is said to be spoken. */
export function describe({ seconds, loudness, spans }: Measured, language?: string): string {
  if (!(loudness > silence)) return ''
  return phraseText(language === undefined || language === 'fa' ? 'fa' : 'en', 'recordingUnknown', {
    seconds: Math.round(seconds * 10) / 10,
    loudness: Math.round(-loudness),
    spans,
  })
}
