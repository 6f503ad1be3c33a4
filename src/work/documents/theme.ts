/** Colours that paper and screen share, as page.typ has them. */
export const colours = {
  ink: '1D2733',
  soft: '5C6B7A',
  accent: '0F6466',
  emphasis: '0B4B4D',
  line: 'CFD8DF',
  wash: 'F3F6F7',
  bar: '7BB0B1',
}

export const face = 'Vazirmatn'
/** The face that draws Latin digits in the Persian shape, for numbers that the reader's program counts itself. */
export const countingFace = 'Vazirmatn FD'
/** A face that is present wherever an office suite is. */
export const fixedFace = 'Consolas'

/** Faces that are present wherever an office suite is, since workbooks contain no fonts. */
export const sheetFaces = { fa: 'Tahoma', en: 'Calibri' }
