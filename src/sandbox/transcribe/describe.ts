import { phraseText } from '../phrases.ts'
import type { MeasuredSound } from './hear.ts'

/** The loudness, in LUFS, below which a recording has nothing that anybody would transcribe. */
const silence = -60

/**
 * One honest sentence about a recording whose words the sandbox does not know; empty for silence. It is Persian unless another language is named,
 * then English.
 */
export function describe({ seconds, loudness, spans }: MeasuredSound, language?: string): string {
  if (!(loudness > silence)) return ''
  return phraseText(language === undefined || language === 'fa' ? 'fa' : 'en', 'recordingUnknown', {
    seconds: Math.round(seconds * 10) / 10,
    loudness: Math.round(-loudness),
    spans,
  })
}

/** One honest English sentence about Persian speech, which the sandbox cannot translate. */
export const describeForeign = (text: string): string =>
  phraseText('en', 'recordingForeign', { count: text.split(/\s+/).length })
