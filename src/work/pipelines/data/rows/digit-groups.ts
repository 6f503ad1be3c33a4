/** Commas that group digits, as in 1,250,000, while another sign may separate the columns. */

const group = /(?<=[\d۰-۹٠-٩])[,،](?=[\d۰-۹٠-٩]{3}(?![\d۰-۹٠-٩]))/g

export const isComma = (sign: string): boolean => sign === ',' || sign === '،'

export const withoutDigitGroups = (text: string): string => text.replace(group, '')

/** Whether cells contain digit-grouping commas: then another sign separates the cells. */
export const hasDigitGroups = (rows: readonly (readonly string[])[]): boolean =>
  rows.some((row) => row.some((cell) => cell.search(group) >= 0))
