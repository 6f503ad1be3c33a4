import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** `maxUploadBytes` is the largest recording that one form may carry. */
    audio: { maxUploadBytes: number }
  }
}

/** The setting for the largest recording that one form may carry. */
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
