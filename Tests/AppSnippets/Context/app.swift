// What an app of its own has, and docs/app.md does not show.
import UIKit

final class HomeController: UIViewController {}
final class ProductController: UIViewController {
    convenience init(id: Int64) { self.init(nibName: nil, bundle: nil) }
}
final class PasswordController: UIViewController {
    convenience init(token: String) { self.init(nibName: nil, bundle: nil) }
}
final class SettingsController: UIViewController {}
final class ProfileController: UIViewController {
    convenience init(user: String) { self.init(nibName: nil, bundle: nil) }
}
final class SignInController: UIViewController {
    convenience init(session: Session, onSignIn: @escaping @MainActor () -> Void) {
        self.init(nibName: nil, bundle: nil)
    }
}
