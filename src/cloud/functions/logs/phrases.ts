import type { Localized } from '#platform/errors'
import { english, persian } from '#platform/words'

/** The line in place of lines that were dropped. */
export const droppedLines = (count: number, { en, fa }: Localized): string =>
  `${english(count)} lines were dropped: ${en} (${persian(count)} خط دور ریخته شد: ${fa})`

export const dropReasons = {
  tooMuch: { en: 'functions write too much', fa: 'تابع‌ها بیش از اندازه می‌نویسند' },
  notTaken: { en: 'the API did not take them', fa: 'API آن‌ها را نگرفت' },
} satisfies Record<string, Localized>
