/** A title may be the name of a file already. */
export const pdfName = (title = 'document'): string => (/\.pdf$/i.test(title) ? title : `${title}.pdf`)
