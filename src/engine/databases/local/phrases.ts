import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    CLOUD_RESTORING: Record<string, never>
  }
}

declareFailures({
  CLOUD_RESTORING: {
    status: 503,
    retry: true,
    en: () =>
      'The database of this app back-end is being restored from a backup; try again in a few seconds.',
    fa: () => 'پایگاه دادهٔ این بک‌اند از پشتیبان بازگردانده می‌شود؛ چند ثانیهٔ دیگر دوباره بکوشید.',
  },
})
