import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    TOO_MANY_AGENTS: { max: number }
  }
}

declareFailures({
  TOO_MANY_AGENTS: {
    status: 403,
    retry: false,
    en: ({ max }) => `A project has at most ${max} agents; delete one that is not needed any more.`,
    fa: ({ max }) => `هر پروژه حداکثر ${persian(max)} عامل دارد؛ یکی را که دیگر لازم نیست حذف کنید.`,
  },
})

/** Why a run is refused. */
export const reasons = {
  filesOfWork: {
    en: 'stored files are read by agents of the kind data; leave them out, or run one of those.',
    fa: 'فایل‌های ذخیره‌شده را عامل‌های نوع data می‌خوانند؛ آن‌ها را حذف کنید یا یکی از آن عامل‌ها را اجرا کنید.',
  },
  noStreamOfWork: {
    en: 'this run is durable work, which is not streamed: leave stream out and poll status_url.',
    fa: 'این اجرا کار ماندگار است و جریانی نیست: stream را حذف کنید و status_url را بخوانید.',
  },
  noCallOfWork: {
    en: 'only agents of the kind chat answer in calls: runs of the others are durable work.',
    fa: 'در تماس فقط عامل‌های نوع chat پاسخ می‌دهند؛ اجرای بقیه کار ماندگار است.',
  },
  shortWork: (least: number) => ({
    en: `input of durable work must have at least ${least} characters.`,
    fa: `input کار ماندگار باید دست‌کم ${persian(least)} کاراکتر داشته باشد.`,
  }),
}
