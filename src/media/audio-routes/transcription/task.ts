/** What is done with a recording: it is written down as it is said, or in English. */
import type { TObject } from 'typebox'
import { TranscriptionForm, TranslationForm } from './schema.ts'

export interface RecordingTask {
  /** The endpoint that the receipt names. */
  endpoint: string
  /** Whether the text is English, whatever is spoken. */
  translates: boolean
  /** The text fields of its form. */
  form: TObject
}

export const transcription: RecordingTask = {
  endpoint: '/v1/audio/transcriptions',
  translates: false,
  form: TranscriptionForm,
}

export const translation: RecordingTask = {
  endpoint: '/v1/audio/translations',
  translates: true,
  form: TranslationForm,
}
