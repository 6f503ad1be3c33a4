/** The file name of a PDF. Its title may already be one. */
export const pdfName = (title = 'document'): string => (/\.pdf$/i.test(title) ? title : `${title}.pdf`)
