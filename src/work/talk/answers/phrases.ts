import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'
import '../phrases.ts'

declare module '#platform/errors' {
  interface Failures {
    ANSWER_LOST: Record<string, never>
    MESSAGE_ID_TAKEN: Record<string, never>
  }
}

declareFailures({
  ANSWER_LOST: {
    status: 500,
    en: () =>
      'The server stopped in the middle of this answer. What came is kept, and costs nothing; ask again.',
    fa: () => 'سرور میانهٔ این پاسخ از کار افتاد. آنچه رسیده مانده و هزینه‌ای ندارد؛ دوباره بپرسید.',
  },
  MESSAGE_ID_TAKEN: {
    status: 409,
    retry: false,
    en: () => 'This id belongs to another message; send this one under an id of its own.',
    fa: () => 'این شناسه از آنِ پیام دیگری است؛ این پیام را با شناسهٔ تازه‌ای بفرستید.',
  },
})

const text = (en: string, fa: string): Localized => ({ en, fa })
const mebibytes = (bytes: number): number => bytes / 1024 / 1024

/** Why a message is refused. */
export const reasons = {
  tooManyBytes: (max: number) =>
    text(
      `the files of a conversation that go to the model have at most ${mebibytes(max)} MB together`,
      `فایل‌های گفت‌وگو که به مدل می‌رسند روی هم حداکثر ${persian(mebibytes(max))} مگابایت‌اند`,
    ),
  otherFile: (type: string) =>
    text(
      `files of the type ${type} cannot be read; send a PDF, DOCX, text or picture`,
      `فایلی از نوع ${type} خوانده نمی‌شود؛ PDF، DOCX، متن یا تصویر بفرستید`,
    ),
  unread: text(
    'the document has no text that can be read; it may be broken, locked or scanned',
    'سند متن خوانایی ندارد؛ شاید خراب، قفل یا اسکن‌شده باشد',
  ),
  longMessage: (max: number) =>
    text(
      `the texts of a message have at most ${max} characters together`,
      `متن‌های یک پیام روی هم حداکثر ${persian(max)} حرف دارند`,
    ),
  manyFiles: (max: number) =>
    text(`a message has at most ${max} files`, `هر پیام حداکثر ${persian(max)} فایل دارد`),
  emptyMessage: text('a message needs a text or a file', 'پیام باید متن یا فایلی داشته باشد'),
  noQuestion: text('only a message of the person can be answered', 'فقط پیام شخص را می‌توان پاسخ داد'),
  unknownParent: text(
    'the message that this one follows is an answer, or none',
    'پیامی که این پیام در پی آن می‌آید باید پاسخ باشد، یا هیچ',
  ),
}
