import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    DATABASE_ELSEWHERE: Record<string, never>
    DATABASE_NO_ROOM: Record<string, never>
    DATABASE_TOO_LARGE: { bytes: number; max: number }
    DATABASE_BUSY: Record<string, never>
    DATABASE_DOES_NOT_START: Record<string, never>
    CLOUD_RESTORING: Record<string, never>
    BACKUPS_OF_OPERATOR: Record<string, never>
    DATABASES_UNAVAILABLE: { why: Localized }
    DATABASE_HOURS_USED: { max: number }
  }
}

declareFailures({
  DATABASE_ELSEWHERE: {
    status: 503,
    retry: false,
    en: () =>
      'The database of this app back-end is on another machine of this service; the operator has to send its requests there.',
    fa: () =>
      'پایگاه دادهٔ این بک‌اند روی دستگاه دیگری از این سرویس است؛ گرداننده باید درخواست‌هایش را به همان دستگاه بفرستد.',
  },
  DATABASE_NO_ROOM: {
    status: 503,
    retry: true,
    en: () =>
      'There is no room for this database at this moment, in the memory or on the disk of the server; try again later, or tell the operator.',
    fa: () =>
      'در این لحظه در حافظه یا روی دیسک سرور برای این پایگاه داده جا نیست؛ دیرتر دوباره بکوشید یا به گرداننده خبر دهید.',
  },
  DATABASE_TOO_LARGE: {
    status: 503,
    retry: false,
    en: ({ bytes, max }) =>
      `The database of this app back-end may have ${bytes} bytes of memory, and all databases of this server together have ${max}, so it cannot wake; the operator has to set a smaller memory_bytes or a larger databases.memory_percent.`,
    fa: ({ bytes, max }) =>
      `پایگاه دادهٔ این بک‌اند ${persian(bytes)} بایت حافظه می‌خواهد و همهٔ پایگاه‌های این سرور روی هم ${persian(max)} بایت دارند، پس بیدار نمی‌شود؛ گرداننده باید memory_bytes را کوچک‌تر یا databases.memory_percent را بزرگ‌تر کند.`,
  },
  DATABASE_BUSY: {
    status: 503,
    retry: true,
    en: () =>
      'All connections to the database of this app back-end are in use; send the request again in a moment, or fewer at once.',
    fa: () =>
      'همهٔ اتصال‌های پایگاه دادهٔ این بک‌اند در حال استفاده است؛ کمی بعد دوباره بفرستید، یا هم‌زمان درخواست کمتری بفرستید.',
  },
  DATABASE_DOES_NOT_START: {
    status: 503,
    retry: false,
    en: () =>
      'The database of this app back-end does not start; the operator of this service finds the reason in its log.',
    fa: () => 'پایگاه دادهٔ این بک‌اند راه نمی‌افتد؛ گردانندهٔ سرویس علت را در گزارش آن می‌یابد.',
  },
  CLOUD_RESTORING: {
    status: 503,
    retry: true,
    en: () =>
      'The database of this app back-end is being restored from a backup; try again in a few seconds.',
    fa: () => 'پایگاه دادهٔ این بک‌اند از پشتیبان بازگردانده می‌شود؛ چند ثانیهٔ دیگر دوباره بکوشید.',
  },
  BACKUPS_OF_OPERATOR: {
    status: 409,
    retry: false,
    en: () =>
      'The database of this app back-end is on a server that its operator backs up as a whole: ask the operator, or take an export with GET /v1/cloud/{id}/export.',
    fa: () =>
      'پایگاه دادهٔ این بک‌اند روی سروری است که گرداننده از همهٔ آن پشتیبان می‌گیرد: از گرداننده بخواهید، یا با GET /v1/cloud/{id}/export خروجی بگیرید.',
  },
  DATABASES_UNAVAILABLE: {
    status: 503,
    retry: false,
    en: ({ why }) => `Databases of app back-ends cannot run on this server: ${why.en}`,
    fa: ({ why }) => `پایگاه دادهٔ بک‌اندها روی این سرور اجرا نمی‌شود: ${why.fa}`,
  },
  DATABASE_HOURS_USED: {
    status: 429,
    retry: true,
    en: ({ max }) =>
      `The database of this app back-end was awake for the ${max} hours of a month that its package has; it wakes again on the first of the next month (UTC), or with a larger package.`,
    fa: ({ max }) =>
      `پایگاه دادهٔ این بک‌اند ${persian(max)} ساعت ماهانهٔ بسته‌اش را بیدار بوده است؛ از نخستین روز ماه میلادی آینده (به وقت جهانی) یا با بستهٔ بزرگ‌تر دوباره بیدار می‌شود.`,
  },
})
