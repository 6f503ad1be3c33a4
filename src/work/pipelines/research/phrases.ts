import { inDigits, type Language } from '#work/documents'
import type { OutlineSection } from '../document/outline.ts'
import type { Localized } from '../phrases.ts'

export const researchPhrases = {
  planning: { fa: 'طرح پرسش‌ها', en: 'Planning the questions' },
  questions: { fa: 'طرح پرسش‌ها', en: 'the plan of the questions' },
  searching: (query: string): Localized => ({ fa: `جست‌وجوی «${query}»`, en: `Searching for “${query}”` }),
  reading: (host: string): Localized => ({ fa: `خواندن ${host}`, en: `Reading ${host}` }),
  noting: (title: string): Localized => ({ fa: `یادداشت از «${title}»`, en: `Taking notes from “${title}”` }),
  notes: (title: string): Localized => ({ fa: `یادداشت «${title}»`, en: `the notes from “${title}”` }),
  outline: { fa: 'طرح گزارش', en: 'the plan of the report' },
  writing: (title: string): Localized => ({ fa: `نوشتن «${title}»`, en: `Writing “${title}”` }),
  section: (title: string): Localized => ({ fa: `بخش «${title}»`, en: `the section “${title}”` }),
  checking: (title: string): Localized => ({
    fa: `سنجیدن «${title}» با منابع`,
    en: `Checking “${title}” against its sources`,
  }),
  check: (title: string): Localized => ({
    fa: `سنجش بخش «${title}» با منابع`,
    en: `the check of the section “${title}”`,
  }),
  files: { fa: 'ساختن فایل‌ها', en: 'Making the files' },
  /** Reasons why an address that the task names was not read. */
  unread: { fa: 'خوانده نشد یا متنی نداشت', en: 'it could not be read or holds no text' },
  tooMany: { fa: 'بیش از سقف صفحه‌های یک کار بود', en: 'the run reads no more pages' },
  plainHttp: {
    fa: 'فقط نشانی‌های https خوانده می‌شود، و با https هم خوانده نشد',
    en: 'only https addresses are read, and it could not be read by https either',
  },
  sources: { fa: 'منبع خواندنی', en: 'readable sources' },
  done: { fa: 'گزارش آماده است.', en: 'The report is ready.' },
  partial: { fa: 'گزارش تا جایی که شد آماده است.', en: 'The report is ready as far as it could be made.' },
  sourceless: {
    fa: 'هیچ منبعی یافته یا خوانده نشد؛ گزارش همین را می‌گوید و هیچ ادعایی ندارد.',
    en: 'No source could be found or read; the report says so and claims nothing.',
  },
  searchless: {
    fa: 'این سرور موتور جست‌وجو ندارد و منبع دیگری هم نبود؛ گزارش همین را می‌گوید و هیچ ادعایی ندارد. نشانی صفحه‌ها را در خواسته بنویسید، knowledge_id بدهید، یا از گرداننده بخواهید جست‌وجو را روشن کند.',
    en: 'This server has no search engine, and there was no other source; the report says so and claims nothing. Write addresses of pages into the task, give a knowledge_id, or ask the operator to switch search on.',
  },
} as const

interface ReportWords {
  summary: string
  /** Marks after sentences. */
  unsupported: string
  unchecked: string
  method: string
  notesOf: string
  nothing: string
  nothingWhy: string
  searched: string
  asked: string
  sourcesFile: string
  section: OutlineSection
}

export const reportPhrases: Record<Language, ReportWords> = {
  fa: {
    summary: 'چکیده',
    unsupported: 'بدون منبع',
    unchecked: 'سنجیده‌نشده',
    method: 'این گزارش چگونه سنجیده شد',
    notesOf: 'یادداشت‌های منابع',
    nothing: 'هیچ منبعی در دست نیست',
    nothingWhy:
      'موتور جست‌وجویی در کار نبود، یا چیزی نیافت، یا هیچ‌یک از صفحه‌ها خواندنی نبود یا چیزی دربارهٔ پرسش‌ها نداشت. گزارشِ بی‌منبع گزارش نیست؛ پس اینجا هیچ ادعایی نیامده است.',
    searched: 'جست‌وجوها',
    asked: 'پرسش‌ها',
    sourcesFile: 'منابع گزارش',
    section: { title: 'یافته‌ها', brief: 'پاسخ هر پرسش از روی منابع' },
  },
  en: {
    summary: 'Summary',
    unsupported: 'unsupported',
    unchecked: 'not checked',
    method: 'How this report was checked',
    notesOf: 'Notes from the sources',
    nothing: 'There is no source',
    nothingWhy:
      'No search engine was at hand, or it found nothing, or none of the pages could be read or said anything about the questions. A report without sources is none; so nothing is claimed here.',
    searched: 'Searches',
    asked: 'Questions',
    sourcesFile: 'Sources of the report',
    section: { title: 'Findings', brief: 'the answer to each question from the sources' },
  },
}

export interface Counts {
  read: number
  cited: number
  supported: number
  unsupported: number
  unchecked: number
  removed: number
}

/** How far the reader may trust the report, in numbers. */
export function methodText(counts: Counts, language: Language): string {
  const of = (name: keyof Counts) => inDigits(language, counts[name])
  return language === 'fa'
    ? `${of('read')} منبع خوانده و به ${of('cited')} منبع ارجاع داده شد. هر جمله با منبعی که به آن ارجاع می‌دهد سنجیده شد: مدل سنجنده باید عین عبارت منبع را می‌آورد، و برنامه آن عبارت و عددهای جمله را در متن منبع می‌جست. ${of('supported')} جمله پشتوانه داشت؛ ${of('unsupported')} جمله با «بدون منبع» و ${of('unchecked')} جمله با «سنجیده‌نشده» نشان‌دار شد، و ${of('removed')} جمله که با منبع نمی‌خواند یا به منبعی ناموجود ارجاع می‌داد حذف شد.`
    : `${of('read')} sources were read and ${of('cited')} are cited. Every sentence was held against the source that it cites: the checking model had to quote the source word for word, and the program looked for that quotation and for the numbers of the sentence in the text of the source. ${of('supported')} sentences were supported; ${of('unsupported')} are marked as unsupported and ${of('unchecked')} as not checked, and ${of('removed')} that their source contradicts, or that cited no existing source, were removed.`
}

/** Parts of the sentences by which callers choose a kind. */
export const researchKindPhrases = {
  makes: { fa: 'گزارش با منبع', en: 'a cited report' },
  deeper: {
    fa: 'پژوهش تا جایی که این اندازه بپردازد عمیق می‌شود، حداکثر ۴۰ منبع و ۲۰ بخش',
    en: 'research goes as deep as it pays, up to 40 sources and 20 sections',
  },
}
