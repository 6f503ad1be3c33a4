import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Of the recording in one form. */
    audio: { maxUploadBytes: number }
  }
}

/** How large a recording may come in one form. */
export const audio = fileSection({
  name: 'audio',
  schema: Type.Object(
    {
      max_upload_mb: integerIn(1, 200, {
        default: 25,
        description: 'Of the recording in one form of `POST /v1/audio/transcriptions`.',
      }),
    },
    { default: {} },
  ),
  read: ({ max_upload_mb }) => ({ maxUploadBytes: max_upload_mb * mebibyte }),
})
