import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    SPOOL_FULL: { of: 'disk' | 'spool' }
  }
}

declareFailures({
  SPOOL_FULL: {
    status: 503,
    en: ({ of }) =>
      of === 'disk'
        ? 'The disk of this server is full, so that it cannot take the file now; send it again later, and tell the operator of this service.'
        : 'This server has as many files in transit as it may hold (files.spool_mb); send the file again after the time in Retry-After.',
    fa: ({ of }) =>
      of === 'disk'
        ? 'دیسک این سرور پر است و اکنون نمی‌تواند فایل را بگیرد؛ بعداً دوباره بفرستید و به گردانندهٔ سرویس خبر دهید.'
        : 'این سرور به اندازهٔ سقف خود فایل در راه دارد (files.spool_mb)؛ پس از زمان Retry-After دوباره بفرستید.',
  },
})
