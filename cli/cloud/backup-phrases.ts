import { english, persian } from '#platform/words'
import { type BilingualText, type OptionHelp, sentence } from '../command.ts'
import { serverOptions } from '../server/phrases.ts'

export const backupPhrases = {
  make: sentence(
    'از پایگاه دادهٔ بک‌اند اختصاصی پشتیبان می‌گیرد و تا آماده‌شدنش می‌ماند',
    'makes a backup of the database of a dedicated app back-end, and waits until it is ready',
  ),
  list: sentence('پشتیبان‌های یک بک‌اند، تازه‌ترین نخست', 'the backups of an app back-end, newest first'),
  remove: sentence('یک پشتیبان را برای همیشه حذف می‌کند', 'deletes a backup for good'),
  restore: sentence(
    'پشتیبان BACKUP را به جای پایگاه دادهٔ کنونی می‌گذارد، یا با --into در بک‌اندی تازه؛ --confirm نام دقیق بک‌اند است',
    'puts the backup BACKUP in place of the database as it is, or with --into into a new app back-end; --confirm is the exact name of the app back-end',
  ),

  making: sentence('پشتیبان گرفته می‌شود…', 'The backup is being made…'),
  restoring: sentence('پشتیبان بازگردانده می‌شود…', 'The backup is being restored…'),
  made: (id: string) => sentence(`پشتیبان ${id} آماده است.`, `The backup ${id} is ready.`),
  deleted: (id: string) => sentence(`پشتیبان ${id} حذف شد.`, `The backup ${id} is deleted.`),
  restored: (cloud: string) =>
    sentence(`پایگاه دادهٔ ${cloud} بازگردانده شد.`, `The database of ${cloud} is restored.`),
  failed: (why: string) => sentence(`ناکام ماند: ${why}`, `It has failed: ${why}`),

  kinds: {
    nightly: sentence('شبانه', 'nightly'),
    asked: sentence('درخواستی', 'asked for'),
  } as Readonly<Record<string, BilingualText>>,
  states: {
    queued: sentence('در حال گرفتن', 'being made'),
    ready: sentence('آماده', 'ready'),
    failed: sentence('ناکام', 'failed'),
  } as Readonly<Record<string, BilingualText>>,
  columns: {
    id: sentence('شناسه', 'id'),
    kind: sentence('نوع', 'kind'),
    state: sentence('وضعیت', 'state'),
    bytes: sentence('بایت', 'bytes'),
    created: sentence('گرفته‌شده', 'made'),
    expires: sentence('حذف در', 'deleted at'),
  },
  count: (number: number) => sentence(persian(number), english(number)),
}

export const backupOptions: OptionHelp = {
  ...serverOptions,
  confirm: { value: 'NAME', about: sentence('نام دقیق بک‌اند', 'the exact name of the app back-end') },
  into: {
    value: 'NAME',
    about: sentence('نام بک‌اند تازه‌ای که ساخته می‌شود', 'the name of a new app back-end that is created'),
  },
  package: {
    value: 'ID',
    about: sentence('کدام بستهٔ حساب، برای بک‌اند تازه', 'which package of the account, of the new one'),
  },
}
