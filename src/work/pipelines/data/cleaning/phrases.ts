import type { Language } from '#work/documents'
import type { Localized } from '../../phrases.ts'
import type { Note } from '../columns/notes.ts'
import { writeDecimal } from '../write-number.ts'

export const cleaningHeading: Localized = { fa: 'پاک‌سازی', en: 'Cleaning' }

export const droppedSentence = (count: number): Localized => ({
  fa: `${count} جمله از متن مدل کنار گذاشته شد، چون عددی داشت که از داده‌ها محاسبه نشده بود.`,
  en: `Sentences of the model that were left out, since they held numbers that were not computed from the data: ${count}.`,
})

type NoteOfKind<Kind extends Note['kind']> = Note & { kind: Kind }
type NoteSentences = { [Kind in Note['kind']]: (note: NoteOfKind<Kind>, format: NoteFormat) => Localized }

interface NoteFormat {
  /** A whole number in the language of the reader. */
  count(number: number): string
  /** A list of words. */
  list(words: readonly string[]): string
}

const named = (name: string) => (name === '' ? '—' : name)
const calendars = { jalali: { fa: 'شمسی', en: 'Jalali' }, gregorian: { fa: 'میلادی', en: 'Gregorian' } }

/** Notes about whole tables. */
const tableNotes = {
  used: ({ sources }, { count, list }) => {
    const each = sources.map(({ name, rows }) => `${named(name)} (${count(rows)})`)
    return {
      fa: `این‌ها ستون‌های یکسان داشتند و زیر هم یک جدول شدند؛ عدد هر یک شمار ردیف‌های آن است: ${list(each)}.`,
      en: `These have the same columns and were put below each other as one table, with their numbers of rows: ${list(each)}.`,
    }
  },
  unused: ({ sources }, { count, list }) => {
    const each = (hiddenWord: string) =>
      sources.map(({ name, rows, hidden }) => `${named(name)} (${count(rows)}${hidden ? hiddenWord : ''})`)
    return {
      fa: `این جدول‌ها ستون‌های دیگری دارند و در هیچ عددی نیامده‌اند: ${list(each('، پنهان'))}.`,
      en: `These tables have other columns and are in none of the numbers: ${list(each(', hidden'))}.`,
    }
  },
  'sheets-cut': ({ count: sheets }, { count }) => ({
    fa: `${count(sheets)} برگهٔ پایانی خوانده نشد و در هیچ عددی نیست؛ آن‌ها را در فایلی جدا بفرستید.`,
    en: `The last sheets that were not read and are in none of the numbers: ${count(sheets)}. Send them in a file of their own.`,
  }),
  'text-cut': ({ read, of }, { count }) => ({
    fa: `${count(read)} کاراکتر آغازین از ${count(of)} کاراکتر متن خوانده شد؛ جدول‌های بزرگ را در فایل CSV یا اکسل بفرستید.`,
    en: `The first ${count(read)} of ${count(of)} characters of the text were read; send large tables in a CSV or Excel file.`,
  }),
  encoding: ({ encoding }) => ({
    fa: `فایل با کدگذاری ${encoding} خوانده شد.`,
    en: `The file was read in the encoding ${encoding}.`,
  }),
  broken: ({ count: broken }, { count }) => ({
    fa: `${count(broken)} کاراکتر در فایل خراب بود و به جایش نشان � آمده است.`,
    en: `Characters of the file that were damaged, shown as �: ${count(broken)}.`,
  }),
  before: ({ count: lines }, { count }) => ({
    fa: `${count(lines)} سطر پیش از نام ستون‌ها عنوان و توضیح شمرده شد و در داده‌ها نیست.`,
    en: `Lines before the names of the columns that were taken for titles and are not among the data: ${count(lines)}.`,
  }),
  headless: () => ({
    fa: 'ردیف نخست نام ستون نبود؛ ستون‌ها شماره گرفتند. (حدس)',
    en: 'The first row holds no names; the columns were numbered. (A guess.)',
  }),
  heads: ({ count: heads }, { count }) => ({
    fa: `نام ستون‌ها در میان داده‌ها ${count(heads)} بار دیگر هم آمده بود؛ آن ردیف‌ها داده شمرده نشدند.`,
    en: `The row of names stood ${count(heads)} more times among the data and was not counted as data.`,
  }),
  renamed: ({ columns }, { list }) => ({
    fa: `چند ستون یک نام داشتند و نامشان شماره گرفت: ${list(columns)}.`,
    en: `Columns of the same name got a number: ${list(columns)}.`,
  }),
  nameless: ({ columns }, { list }) => ({
    fa: `ستون‌های بی‌نام نام گرفتند: ${list(columns)}.`,
    en: `Columns without a name got one: ${list(columns)}.`,
  }),
  empty: ({ columns }, { list }) => ({
    fa: `ستون‌های خالی: ${list(columns)}.`,
    en: `Empty columns: ${list(columns)}.`,
  }),
  'columns-cut': ({ read, of }, { count }) => ({
    fa: `${count(read)} ستون از ${count(of)} ستون خوانده شد.`,
    en: `${count(read)} of ${count(of)} columns were read.`,
  }),
  skipped: ({ count: lines, examples }, { count }) => ({
    fa: `${count(lines)} سطر بیش از ستون‌های جدول خانه داشت و در هیچ عددی نیامده است: ${examples.join(' · ')}`,
    en: `Lines with more cells than the table has columns, which are in none of the numbers: ${count(lines)} (${examples.join(' · ')})`,
  }),
  unparsed: ({ count: records, examples }, { count }) => ({
    fa: `${count(records)} رکورد JSON درست نبود یا بیش از یک مگابایت بود و در هیچ عددی نیامده است؛ آغاز آن: ${examples.join(' · ')}`,
    en: `Records that are no valid JSON or longer than a megabyte, which are in none of the numbers: ${count(records)} (beginning with ${examples.join(' · ')})`,
  }),
  totals: ({ count: rows, labels, agree }, { count, list }) => {
    const held: Record<typeof agree, Localized> = {
      yes: { fa: ' مقدارشان با جمع ردیف‌ها می‌خواند.', en: ' What they say agrees with the sums of the rows.' },
      no: {
        fa: ' مقدارشان با جمع ردیف‌ها نمی‌خواند؛ عددهای این خلاصه از خود ردیف‌هاست.',
        en: ' What they say does not agree with the sums of the rows; the numbers here are those of the rows.',
      },
      unknown: { fa: '', en: '' },
    }
    return {
      fa: `${count(rows)} ردیف جمع («${list(labels)}») کنار گذاشته شد تا چیزی دو بار شمرده نشود.${held[agree].fa}`,
      en: `Rows of totals (“${list(labels)}”) that were left out, so that nothing counts twice: ${count(rows)}.${held[agree].en}`,
    }
  },
  repeated: ({ count: rows }, { count }) => ({
    fa: `${count(rows)} ردیف تکراری است؛ در داده‌ها مانده‌اند.`,
    en: `Rows that stand more than once, and were kept: ${count(rows)}.`,
  }),
  'merged-cells': ({ count: cells }, { count }) => ({
    fa: `${count(cells)} خانهٔ ادغام‌شده چند ردیف را می‌پوشاند؛ واژهٔ آن برای همهٔ آن ردیف‌ها آمد و عدد آن فقط یک بار.`,
    en: `Merged cells over several rows: ${count(cells)}. Their words stand for all of the rows, their numbers count once.`,
  }),
  uncalculated: ({ count: cells }, { count }) => ({
    fa: `${count(cells)} فرمول در فایل نتیجه نداشت و بی‌مقدار شمرده شد؛ فایل را در اکسل باز و ذخیره کنید.`,
    en: `Formulas whose results the file does not hold, counted as missing: ${count(cells)}. Open the file in a spreadsheet program and save it.`,
  }),
  durations: ({ count: cells }, { count }) => ({
    fa: `${count(cells)} خانه مدت زمان بود و به ساعت شمرده شد: «30:15» یعنی 30٫25.`,
    en: `Cells that are durations and were counted in hours: ${count(cells)}. “30:15” is 30.25.`,
  }),
} satisfies Partial<NoteSentences>

/** Notes about how a column is read. */
const columnNotes = {
  texts: ({ columns }, { list }) => ({
    fa: `این ستون‌ها متن ماندند: ${list(columns)}.`,
    en: `These columns stayed text: ${list(columns)}.`,
  }),
  codes: ({ column, examples }, { list }) => ({
    fa: `ستون «${column}» کد است (صفر آغازین یا رقم‌های بسیار) و متن ماند: ${list(examples)}.`,
    en: `The column “${column}” holds codes (leading zeros or many digits) and stayed text: ${list(examples)}.`,
  }),
  'stayed-text': ({ column, values, of, examples }, { count, list }) => ({
    fa: `ستون «${column}» متن ماند: از ${count(of)} خانهٔ آن فقط ${count(values)} خانه به یک گونه خوانده می‌شود. نمونهٔ دیگرها: ${list(examples)}.`,
    en: `The column “${column}” stayed text: of its ${count(of)} cells only ${count(values)} can be read as one kind. Others are such as: ${list(examples)}.`,
  }),
  decimal: ({ column, sign, guess, written, read }) => {
    const name = sign === ',' ? { fa: 'ویرگول', en: 'comma' } : { fa: 'نقطه', en: 'point' }
    return {
      fa: `در ستون «${column}» نشان اعشار ${name.fa} است: «${written}» یعنی ${read}.${guess ? ' (حدس: عددی که معنای دیگری نپذیرد در ستون نبود)' : ''}`,
      en: `The decimal sign of the column “${column}” is the ${name.en}: “${written}” is ${read}.${guess ? ' (A guess: no number of the column can be meant in one way only.)' : ''}`,
    }
  },
  slash: ({ column, written, read }) => ({
    fa: `در ستون «${column}» خط کج نشان اعشار شمرده شد: «${written}» یعنی ${read}. (حدس)`,
    en: `The slash of the column “${column}” was taken for a decimal sign: “${written}” is ${read}. (A guess.)`,
  }),
  magnitudes: ({ column, count: cells }, { count }) => ({
    fa: `در ستون «${column}» ${count(cells)} عدد با هزار، میلیون یا میلیارد نوشته شده بود و کامل شد.`,
    en: `Numbers of the column “${column}” that were written with thousands, millions or billions and were multiplied out: ${count(cells)}.`,
  }),
  'bare-unit': ({ column, count: cells, unit, guess }, { count }) => ({
    fa: `در ستون «${column}» ${count(cells)} عدد بی‌یکا «${unit}» شمرده شد${guess ? '، چون عددهای دیگر ستون این یکا را دارند. (حدس)' : '، چون نام ستون چنین می‌گوید.'}`,
    en: `Numbers of the column “${column}” without a unit that were taken for “${unit}”, as ${guess ? 'others of the column are' : 'its name says'}: ${count(cells)}.${guess ? ' (A guess.)' : ''}`,
  }),
  'other-unit': ({ column, count: cells, from, to }, { count }) => ({
    fa: `در ستون «${column}» ${count(cells)} مقدار به ${from} بود و به ${to} تبدیل شد (هر تومان ۱۰ ریال).`,
    en: `Values of the column “${column}” that were in ${from} and were converted to ${to} (1 Toman is 10 Rials): ${count(cells)}.`,
  }),
  rounded: ({ column, count: cells, digits }, { count }) => ({
    fa: `در ستون «${column}» ${count(cells)} عدد بیش از ${count(digits)} رقم اعشار داشت و گرد شد.`,
    en: `Numbers of the column “${column}” that have more than ${count(digits)} decimal digits and were rounded: ${count(cells)}.`,
  }),
  order: ({ column, dayFirst, guess, written, read }) => {
    const order = dayFirst
      ? { fa: 'روز/ماه/سال', en: 'day/month/year' }
      : { fa: 'ماه/روز/سال', en: 'month/day/year' }
    return {
      fa: `تاریخ‌های ستون «${column}» ${order.fa} خوانده شد: «${written}» یعنی ${read}.${guess ? ' (حدس: ترتیب دیگر هم شدنی بود)' : ''}`,
      en: `The dates of the column “${column}” were read as ${order.en}: “${written}” is ${read}.${guess ? ' (A guess: the other order is possible as well.)' : ''}`,
    }
  },
  century: ({ column, written, read }) => ({
    fa: `سال‌های ستون «${column}» دورقمی است؛ قرن آن حدس زده شد: «${written}» یعنی ${read}. (حدس)`,
    en: `The years of the column “${column}” have two digits; their century is a guess: “${written}” is ${read}.`,
  }),
  compact: ({ column, written, read }) => ({
    fa: `عددهای هشت‌رقمی ستون «${column}» تاریخ شمرده شد: «${written}» یعنی ${read}. (حدس)`,
    en: `The numbers of eight digits in the column “${column}” were taken for dates: “${written}” is ${read}. (A guess.)`,
  }),
  serial: ({ column, written, read }) => ({
    fa: `عددهای ستون «${column}» شمارهٔ روز اکسل شمرده شد: «${written}» یعنی ${read}. (حدس)`,
    en: `The numbers of the column “${column}” were taken for days as spreadsheets count them: “${written}” is ${read}. (A guess.)`,
  }),
  'other-calendar': ({ column, count: cells, calendar }, { count }) => ({
    fa: `در ستون «${column}» ${count(cells)} تاریخ به گاه‌شمار دیگر بود و به ${calendars[calendar].fa} تبدیل شد.`,
    en: `Dates of the column “${column}” that were in the other calendar and were converted to the ${calendars[calendar].en} one: ${count(cells)}.`,
  }),
  jalali: ({ column }) => ({
    fa: `تاریخ‌های ستون «${column}» شمسی‌اند و به شکل سال/ماه/روز با رقم‌های لاتین مانده‌اند تا درست مرتب شوند.`,
    en: `The dates of the column “${column}” are Jalali; they are kept as year/month/day, so that they sort as time does.`,
  }),
  unreadable: ({ column, count: cells, examples }, { count, list }) => ({
    fa: `در ستون «${column}» ${count(cells)} مقدار خوانده نشد و بی‌مقدار شمرده شد: ${list(examples)}`,
    en: `Values of the column “${column}” that could not be read and count as missing: ${count(cells)} (${list(examples)})`,
  }),
  merged: ({ column, shown, spellings, more }, { count, list }) => {
    const each = spellings.map(({ text, count: times }) => `«${text}» ${count(times)}`)
    const rest = more > 0 ? [`+${count(more)}`] : []
    return {
      fa: `در ستون «${column}» این نوشته‌ها یکی شمرده شدند («${shown}»): ${list([...each, ...rest])}.`,
      en: `In the column “${column}” these spellings were counted as one (“${shown}”): ${list([...each, ...rest])}.`,
    }
  },
  'merged-more': ({ column, count: words }, { count }) => ({
    fa: `در ستون «${column}» ${count(words)} واژهٔ دیگر هم چند گونه نوشته شده بود و یکی شمرده شد.`,
    en: `Other words of the column “${column}” that had several spellings and were counted as one: ${count(words)}.`,
  }),
  'distinct-floor': ({ column, least }, { count }) => ({
    fa: `شمار مقدارهای یکتای ستون «${column}» از سقف شمارش گذشت؛ دست‌کم ${count(least)} است.`,
    en: `The distinct values of the column “${column}” are more than are counted; there are at least ${count(least)}.`,
  }),
} satisfies Partial<NoteSentences>

const sentences: NoteSentences = { ...tableNotes, ...columnNotes }

export function cleaningSentence(note: Note, language: Language): string {
  const format: NoteFormat = {
    count: (number) => writeDecimal(String(number), language),
    list: (words) => words.join(language === 'fa' ? '، ' : ', '),
  }
  const write = sentences[note.kind] as (note: Note, format: NoteFormat) => Localized
  return write(note, format)[language]
}
