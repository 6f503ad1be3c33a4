/** The title may already be a file name. */
export const pdfName = (title = 'document'): string => (/\.pdf$/i.test(title) ? title : `${title}.pdf`)
