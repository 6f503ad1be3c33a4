const fa = {
  home: 'خانه',
}

const en = {
  home: 'Home',
} satisfies typeof fa

export const pageWords = { fa, en }
