/** Lists in pages: what is asked for, the rows of a page, the place where the next begins, and the envelope around it. */
export { cursorTexts, writeCursor } from './cursor.ts'
export { bareList, framedList, plainList, typedList } from './envelope.ts'
export { cutPage, idCursor, type Page, type PageOptions, pageClause, pageQuery, readPage } from './page.ts'
