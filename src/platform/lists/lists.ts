/** Lists in pages: the query parameters, the rows of a page, the cursor of the next page, and the envelope of the answer. */
export { cursorTexts, writeCursor } from './cursor.ts'
export { bareList, framedList, plainList, typedList } from './envelope.ts'
export { cutPage, idCursor, type Page, type PageOptions, pageClause, pageQuery, readPage } from './page.ts'
