import type { Language } from '#work/documents'
import type { Localized } from '../phrases.ts'
import type { OutlineSection } from './outline.ts'

/** The default outline, used if the model planned none. */
export const fallbackOutline: Record<Language, OutlineSection[]> = {
  fa: [
    { title: 'مقدمه', brief: 'موضوع و هدف' },
    { title: 'شرح', brief: 'اصل مطلب، کامل و با جزئیات' },
    { title: 'جمع‌بندی', brief: 'نتیجه و گام‌های بعدی' },
  ],
  en: [
    { title: 'Introduction', brief: 'the subject and the aim' },
    { title: 'In detail', brief: 'the matter itself, whole and concrete' },
    { title: 'Conclusion', brief: 'what follows, and the next steps' },
  ],
}

export const documentPhrases = {
  planning: { fa: 'طرح سند', en: 'Planning the document' },
  outline: { fa: 'طرح سند', en: 'the plan of the document' },
  writing: (title: string): Localized => ({ fa: `نوشتن «${title}»`, en: `Writing “${title}”` }),
  section: (title: string): Localized => ({ fa: `بخش «${title}»`, en: `the section “${title}”` }),
  files: { fa: 'ساختن فایل‌ها', en: 'Making the files' },
  done: { fa: 'سند آماده است.', en: 'The document is ready.' },
  partial: { fa: 'سند تا جایی که شد آماده است.', en: 'The document is ready as far as it could be made.' },
}

/** Parts of the sentences by which callers choose a kind. */
export const documentKindPhrases = {
  makes: { fa: 'سند', en: 'a document' },
}
