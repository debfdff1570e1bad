// What an app of its own has, and README.md does not show.

func show(_ screens: [ShopScreen]) { print(screens) }
