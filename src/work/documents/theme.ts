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
/** Draws Latin digits in the Persian shape: for numbers that the reader's program counts itself. */
export const countingFace = 'Vazirmatn FD'
/** Present wherever an office suite is. */
export const fixedFace = 'Consolas'

/** Workbooks carry no fonts: these are where office suites are. */
export const sheetFaces = { fa: 'Tahoma', en: 'Calibri' }
