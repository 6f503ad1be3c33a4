import { english, persian } from '#platform/words'
import type { BilingualText, OptionHelp } from '../command.ts'

export const collectionOptions: OptionHelp = {
  offset: {
    value: 'N',
    about: { en: 'rows that are skipped, 0 to 2,000', fa: 'شمار ردیف‌هایی که از آن‌ها می‌گذرد، ۰ تا ۲٬۰۰۰' },
  },
}

export const collectionPhrases = {
  list: { en: 'the collections of an app back-end', fa: 'مجموعه‌های یک بک‌اند' },
  create: {
    en: 'makes a collection; with --public-read everybody who has the public key reads all its rows',
    fa: 'مجموعه‌ای می‌سازد؛ با --public-read هر کس که کلید عمومی را دارد همهٔ ردیف‌هایش را می‌خواند',
  },
  rows: { en: 'rows of a collection, 50 at a time', fa: 'ردیف‌های یک مجموعه، پنجاه تا پنجاه تا' },
  delete: {
    en: 'deletes a collection with all its rows for good; --confirm is its exact name',
    fa: 'مجموعه‌ای را با همهٔ ردیف‌هایش برای همیشه حذف می‌کند؛ --confirm نام دقیق آن است',
  },
  columns: {
    name: { en: 'NAME', fa: 'نام' },
    readers: { en: 'READ BY', fa: 'خوانندگان' },
    rows: { en: 'ROWS', fa: 'ردیف‌ها' },
    bytes: { en: 'BYTES', fa: 'بایت' },
    created: { en: 'CREATED', fa: 'ساخته‌شده' },
  },
  readers: {
    all: { en: 'everybody', fa: 'همه' },
    owners: { en: 'owners', fa: 'صاحبان ردیف‌ها' },
  },
  count: (count: number): BilingualText => ({ en: english(count), fa: persian(count) }),
  made: (name: string): BilingualText => ({ en: `${name} is made.`, fa: `مجموعهٔ ${name} ساخته شد.` }),
  page: (offset: number, rows: number, total: number): BilingualText => ({
    en: `${english(rows)} rows after the first ${english(offset)}, of ${english(total)}`,
    fa: `${persian(rows)} ردیف پس از ${persian(offset)} ردیف نخست، از ${persian(total)} ردیف`,
  }),
  otherName: (): BilingualText => ({
    en: '--confirm has to be exactly the name of the collection.',
    fa: '--confirm باید دقیقاً نام مجموعه باشد.',
  }),
  gone: (name: string, rows: number): BilingualText => ({
    en: `${name} and its ${english(rows)} rows are deleted.`,
    fa: `مجموعهٔ ${name} و ${persian(rows)} ردیفش حذف شد.`,
  }),
}
