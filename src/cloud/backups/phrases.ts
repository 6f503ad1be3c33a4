import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    BACKUP_NOT_FOUND: Record<string, never>
    BACKUP_RUNNING: Record<string, never>
    BACKUP_LIMIT: { max: number }
    BACKUP_NOT_READY: Record<string, never>
    BACKUP_TOO_LARGE: { bytes: number; max: number }
    RESTORE_RUNNING: Record<string, never>
  }
}

declareFailures({
  BACKUP_NOT_FOUND: {
    status: 404,
    en: () => 'This app back-end has no such backup; GET /v1/cloud/{id}/backups lists those it has.',
    fa: () => 'این بک‌اند چنین پشتیبانی ندارد؛ GET /v1/cloud/{id}/backups آن‌ها را که دارد نشان می‌دهد.',
  },
  BACKUP_RUNNING: {
    status: 409,
    retry: true,
    en: () =>
      'A backup of this app back-end is being made already; GET /v1/cloud/{id}/backups says when it is ready.',
    fa: () =>
      'از این بک‌اند هم‌اکنون پشتیبانی گرفته می‌شود؛ GET /v1/cloud/{id}/backups می‌گوید چه هنگام آماده است.',
  },
  BACKUP_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) => `An app back-end keeps at most ${max} backups that were asked for; delete one first.`,
    fa: ({ max }) => `هر بک‌اند حداکثر ${persian(max)} پشتیبان درخواستی نگه می‌دارد؛ نخست یکی را حذف کنید.`,
  },
  BACKUP_NOT_READY: {
    status: 409,
    retry: true,
    en: () => 'This backup is not ready: only one whose status is `ready` can be restored.',
    fa: () => 'این پشتیبان آماده نیست: تنها پشتیبانی که status آن `ready` باشد بازگردانده می‌شود.',
  },
  BACKUP_TOO_LARGE: {
    status: 403,
    retry: false,
    en: ({ bytes, max }) =>
      `The database of this backup has ${bytes} bytes, and with its package an app back-end can have ${max}; restore it into one with a larger package.`,
    fa: ({ bytes, max }) =>
      `پایگاه دادهٔ این پشتیبان ${persian(bytes)} بایت دارد و بک‌اندی با این بسته حداکثر ${persian(max)} بایت؛ آن را در بک‌اندی با بستهٔ بزرگ‌تر بازگردانید.`,
  },
  RESTORE_RUNNING: {
    status: 409,
    retry: true,
    en: () =>
      'A backup is being restored into this app back-end already; GET /v1/cloud/{id}/backups says how it went.',
    fa: () => 'هم‌اکنون پشتیبانی در این بک‌اند بازگردانده می‌شود؛ GET /v1/cloud/{id}/backups نتیجه را می‌گوید.',
  },
})

/** Why a backup was not made, or not restored. */
const problems = {
  given_up: {
    en: 'It was tried several times in vain; the database is as it was. Try again, or tell the operator.',
    fa: 'چند بار بی‌نتیجه آزموده شد و پایگاه داده همان است که بود. دوباره بکوشید یا به گرداننده خبر دهید.',
  },
  set_aside: {
    en: 'The server process ended twice during it, so it was set aside; the database is as it was. Try again, or tell the operator.',
    fa: 'پردازهٔ سرور دو بار در میان آن از کار افتاد و کنار گذاشته شد؛ پایگاه داده همان است که بود. دوباره بکوشید یا به گرداننده خبر دهید.',
  },
  too_large: {
    en: 'With it the backups of this app back-end would be larger than they may be together; delete one first.',
    fa: 'با آن حجم همهٔ پشتیبان‌های این بک‌اند از سقفشان می‌گذشت؛ نخست یکی را حذف کنید.',
  },
  no_room: {
    en: 'For ten minutes the server had no room for it, in its memory or on its disk; the database is as it was. Try again later, or tell the operator.',
    fa: 'ده دقیقه در حافظه یا روی دیسک سرور برای آن جا نبود؛ پایگاه داده همان است که بود. دیرتر دوباره بکوشید یا به گرداننده خبر دهید.',
  },
  damaged: {
    en: 'The stored bytes are not those that were written, so nothing was changed; restore another backup, and tell the operator.',
    fa: 'بایت‌های ذخیره‌شده آن نیست که نوشته شده بود، پس چیزی تغییر نکرد؛ پشتیبان دیگری را بازگردانید و به گرداننده خبر دهید.',
  },
  backup_gone: {
    en: 'The backup was deleted meanwhile, perhaps with its app back-end; the database is as it was. Restore another one.',
    fa: 'پشتیبان در این میان حذف شد، شاید همراه بک‌اندش؛ پایگاه داده همان است که بود. پشتیبان دیگری را بازگردانید.',
  },
  cloud_gone: {
    en: 'The app back-end could not be set up.',
    fa: 'راه‌اندازی بک‌اند ممکن نشد.',
  },
} satisfies Record<string, Localized>

export type BackupProblem = keyof typeof problems

export const backupProblem = (code: BackupProblem): Localized => problems[code]
