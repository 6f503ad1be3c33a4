/** The disks that must have room, as operators know them. Readiness is public, so its sentences contain no path. */
import type { Localized } from '#platform/errors'
import { persianDigits } from '#platform/words'

/** The watched disks; `wal` is where PostgreSQL writes its write-ahead log, which may lie on a disk of its own. */
export type DiskName = 'data' | 'database' | 'wal' | 'spool' | 'files'

export const diskNames: Record<DiskName, Localized> = {
  data: { en: 'The disk of the data folder', fa: 'دیسک پوشهٔ داده' },
  database: { en: 'The disk of PostgreSQL', fa: 'دیسک PostgreSQL' },
  wal: { en: "The disk of PostgreSQL's WAL", fa: 'دیسک WAL پایگاه PostgreSQL' },
  spool: { en: 'The disk of files in transit (spool)', fa: 'دیسک فایل‌های در راه (spool)' },
  files: { en: 'The disk of stored files', fa: 'دیسک فایل‌های ذخیره‌شده' },
}

/** Sentences about disks. Disks that lie on one device share a sentence. */
export const spacePhrases = {
  lacksBytes: (names: readonly DiskName[], freeMb: number, leastMb: number): Localized => ({
    en: `${together(names, 'en')} has only ${freeMb} MB free and needs ${leastMb} MB: make room; calls that must store something are refused until then.`,
    fa: `در ${together(names, 'fa')} تنها ${persianDigits(freeMb)} مگابایت جا هست و ${persianDigits(leastMb)} مگابایت لازم است: جا باز کنید؛ تا آن هنگام درخواست‌هایی که باید چیزی ذخیره کنند رد می‌شوند.`,
  }),
  lacksInodes: (names: readonly DiskName[], free: number, least: number): Localized => ({
    en: `${together(names, 'en')} has only ${free} inodes free and needs ${least}: delete files there; calls that must store something are refused until then.`,
    fa: `در ${together(names, 'fa')} تنها ${persianDigits(free)} inode آزاد هست و ${persianDigits(least)} تا لازم است: فایل‌هایی را پاک کنید؛ تا آن هنگام درخواست‌هایی که باید چیزی ذخیره کنند رد می‌شوند.`,
  }),
  unknown: (names: readonly DiskName[]): Localized => ({
    en: `${together(names, 'en')} has not said for some seconds how much room it has: look whether it still answers (a network disk may hang).`,
    fa: `${together(names, 'fa')} چند ثانیه است که نمی‌گوید چه اندازه جا دارد: ببینید هنوز پاسخ می‌دهد یا نه (دیسک شبکه ممکن است گیر کرده باشد).`,
  }),
}

const together = (names: readonly DiskName[], language: 'en' | 'fa'): string => {
  const [first, ...rest] = names.map((name) => diskNames[name][language])
  if (rest.length === 0) return first!
  return language === 'en'
    ? `${first} (also: ${rest.map((one) => one.replace(/^The /, 'the ')).join(', ')})`
    : `${first} (و نیز ${rest.join('، ')})`
}
