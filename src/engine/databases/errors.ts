import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    DATABASE_HOURS_USED: { max: number }
  }
}

declareFailures({
  DATABASE_HOURS_USED: {
    status: 429,
    retry: true,
    en: ({ max }) =>
      `The database of this app back-end was awake for the ${max} hours of a month that its package has; it wakes again on the first of the next month (UTC), or with a larger package.`,
    fa: ({ max }) =>
      `پایگاه دادهٔ این بک‌اند ${persian(max)} ساعت ماهانهٔ بسته‌اش را بیدار بوده است؛ از نخستین روز ماه میلادی آینده (به وقت جهانی) یا با بستهٔ بزرگ‌تر دوباره بیدار می‌شود.`,
  },
})
