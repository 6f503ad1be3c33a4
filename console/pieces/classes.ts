/** The class attribute of those that are given. */
export const classes = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ')
