import { type Corpus, sent } from "./report.ts";

/** Dart and Flutter. */
export const dart: Corpus = {
  language: "Dart",
  bugs: {
    "no price": [
      sent(
        "_TypeError",
        "Null check operator used on a null value",
        `
#0      CartModel.total (package:shop/cart/cart_model.dart:42:17)
#1      _CartPageState.build.<anonymous closure> (package:shop/cart/cart_page.dart:30:22)
#2      StatefulElement.build (package:flutter/src/widgets/framework.dart:5599:27)
#3      _rawRunZonedGuarded (dart:async/zone.dart:1004:10)`,
      ),
      sent(
        "_TypeError",
        "Null check operator used on a null value",
        `
#0      CartModel.total (package:shop/cart/cart_model.dart:44)
#1      _CartPageState.build.<anonymous closure> (package:shop/cart/cart_page.dart:33)
#2      ComponentElement.performRebuild (package:flutter/src/widgets/framework.dart:5505)
#3      BuildScope._flushDirtyElements (package:flutter/src/widgets/framework.dart:2695)`,
      ),
      sent(
        "_TypeError",
        "Null check operator used on a null value",
        `
package:shop/cart/cart_model.dart 44:17                  CartModel.total
package:shop/cart/cart_page.dart 33:22                   _CartPageState.build.<fn>
package:flutter/src/widgets/framework.dart 5599:27       StatefulElement.build`,
      ),
    ],
    "a list without an element": [
      sent(
        "RangeError (index)",
        "Invalid value: Not in inclusive range 0..2: 5",
        `
#0      List.[] (dart:core-patch/growable_array.dart:264:36)
#1      Rows.pick (package:shop/rows.dart:9:12)
#2      main (package:shop/main.dart:14:3)`,
      ),
      sent(
        "RangeError (index)",
        "Invalid value: Only valid value is 0: 1",
        `
#0      _Array.[] (dart:core-patch/array.dart)
#1      Rows.pick (package:shop/rows.dart:11:12)
#2      main (file:///home/ada/shop/lib/main.dart:15:3)
#3      _delayEntrypointInvocation.<anonymous closure> (dart:isolate-patch/isolate_patch.dart:297:19)`,
      ),
    ],
    "a load that is refused": [
      sent(
        "SocketException",
        "Connection refused (OS Error: Connection refused, errno = 111), address = api.test, port = 40122",
        `
#0      _NativeSocket.startConnect (dart:io-patch/socket_patch.dart:682:35)
#1      _IOClient.send (package:http/src/io_client.dart:104:3)
<asynchronous suspension>
#2      ItemRepository.load (package:shop/items/item_repository.dart:20:18)
<asynchronous suspension>
#3      ItemsCubit.refresh (package:shop/items/items_cubit.dart:11:5)
<asynchronous suspension>`,
      ),
      sent(
        "SocketException",
        "Connection refused (OS Error: Connection refused, errno = 61), address = api.test, port = 51877",
        `
#0      IOClient.send (package:http/src/io_client.dart:156:7)
<asynchronous suspension>
#1      BaseClient._sendUnstreamed (package:http/src/base_client.dart:93:32)
<asynchronous suspension>
#2      ItemRepository.load (package:shop/items/item_repository.dart:22:18)
<asynchronous suspension>
#3      ItemsCubit.refresh (package:shop/items/items_cubit.dart:12:5)
<asynchronous suspension>`,
      ),
    ],
    "a load that nobody can read": [
      sent(
        "FormatException",
        "Unexpected character (at character 1)",
        `
#0      _ChunkedJsonParser.fail (dart:convert-patch/convert_patch.dart:1383:5)
#1      ItemRepository.parse (package:shop/items/item_repository.dart:40:18)
#2      ItemRepository.load (package:shop/items/item_repository.dart:25:18)
<asynchronous suspension>
#3      ItemsCubit.refresh (package:shop/items/items_cubit.dart:12:5)
<asynchronous suspension>`,
      ),
    ],
    "a state that is gone": [
      sent(
        "FlutterError",
        "setState() called after dispose(): _CartPageState#a1b2c(lifecycle state: defunct, not mounted)",
        `
#0      State.setState.<anonymous closure> (package:flutter/src/widgets/framework.dart:1207:9)
#1      State.setState (package:flutter/src/widgets/framework.dart:1242:6)
#2      _CartPageState._onPaid (package:shop/cart/cart_page.dart:88:5)
#3      _CartPageState._pay.<anonymous closure> (package:shop/cart/cart_page.dart:80:7)`,
      ),
      sent(
        "FlutterError",
        "setState() called after dispose(): _CartPageState#99fe0(lifecycle state: defunct, not mounted)",
        `
#0      State.setState.<anonymous closure> (package:flutter/src/widgets/framework.dart:1167:9)
#1      State.setState (package:flutter/src/widgets/framework.dart:1202:6)
#2      _CartPageState._onPaid (package:shop/cart/cart_page.dart:90:5)
#3      _CartPageState._pay.<anonymous closure>.<anonymous closure> (package:shop/cart/cart_page.dart:83:7)`,
      ),
    ],
    "a release without symbols": [
      sent(
        "StateError",
        "Bad state: No element",
        `
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
pid: 10112, tid: 10140, name 1.ui
build_id: 'f1c2a9b04d'
isolate_dso_base: 7b2c000000, vm_dso_base: 7b2c000000
    #00 abs 0000007b2c1c2f43 virt 00000000001c2f43 _kDartIsolateSnapshotInstructions+0xf1d03
    #01 abs 0000007b2c1c1111 virt 00000000001c1111 _kDartIsolateSnapshotInstructions+0xf0001`,
      ),
      sent(
        "StateError",
        "Bad state: No element",
        `
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
pid: 211, tid: 240, name 1.ui
build_id: '00aabbccdd'
isolate_dso_base: 71aa000000, vm_dso_base: 71aa000000
    #00 abs 00000071aa1d0f43 virt 00000000001d0f43 _kDartIsolateSnapshotInstructions+0xf2d03
    #01 abs 00000071aa1c4111 virt 00000000001c4111 _kDartIsolateSnapshotInstructions+0xf3001`,
      ),
    ],
    "no discount, by another name of the type": [
      sent(
        "_CastError",
        "Null check operator used on a null value",
        `
#0      CartModel.discount (package:shop/models/cart.dart:61:15)
#1      CartPage.build.<anonymous closure> (package:shop/pages/cart.dart:40:22)
#2      StatelessElement.build (package:flutter/src/widgets/framework.dart:4648:28)`,
      ),
      sent(
        "_TypeError",
        "Null check operator used on a null value",
        `
#0      CartModel.discount (package:shop/models/cart.dart:64)
#1      CartPage.build.<anonymous closure> (package:shop/pages/cart.dart:44)
#2      StatelessElement.build (framework.dart:5687)`,
      ),
    ],
  },
};

/** Swift and Objective-C. */
export const swift: Corpus = {
  language: "Swift",
  bugs: {
    "no discount": [
      sent(
        "EXC_BREAKPOINT",
        "Fatal error: Unexpectedly found nil while unwrapping an Optional value",
        `
Thread 0 Crashed:
0   libswiftCore.dylib            	0x0000000190b5c3a8 _assertionFailure(_:_:file:line:flags:) + 264
1   Shop                          	0x0000000104f2c3a8 CheckoutViewModel.applyDiscount(_:) + 124 (CheckoutViewModel.swift:42)
2   Shop                          	0x0000000104f2d000 closure #1 in CheckoutView.body.getter + 88 (CheckoutView.swift:20)
3   SwiftUI                       	0x000000018f1d2000 closure #1 in PressableGestureCallbacks.dispatch(phase:state:) + 60
4   UIKitCore                     	0x000000018e000000 -[UIApplication run] + 472
5   Shop                          	0x0000000104f20000 main + 64
6   dyld                          	0x00000001b0000000 start + 2104

Thread 1:
0   libsystem_kernel.dylib        	0x00000001d0000000 __workq_kernreturn + 8`,
      ),
      sent(
        "EXC_BREAKPOINT",
        "Fatal error: Unexpectedly found nil while unwrapping an Optional value",
        `
0   libswiftCore.dylib                  0x00000001a0b5c3a8 $ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_SSAHSus6UInt32VtF + 268
1   Shop                                0x0000000102f2c3b0 $s4Shop17CheckoutViewModelC13applyDiscountyySSF + 132
2   Shop                                0x0000000102f2d010 $s4Shop12CheckoutViewV4bodyQrvgyycfU_ + 96`,
      ),
      sent(
        "EXC_BAD_INSTRUCTION",
        "Unexpectedly found nil while unwrapping an Optional value",
        `
* thread #1, queue = 'com.apple.main-thread', stop reason = Fatal error: Unexpectedly found nil while unwrapping an Optional value
    frame #0: 0x00000001a1 libswiftCore.dylib\`_swift_runtime_on_fatalError
    frame #1: 0x0000000102f2c3b0 Shop\`CheckoutViewModel.applyDiscount(code="X", self=0x0000600002c0c0c0) at CheckoutViewModel.swift:44:20
    frame #2: 0x0000000102f2d010 Shop\`closure #1 in CheckoutView.body.getter at CheckoutView.swift:21:9`,
      ),
    ],
    "an array without an element": [
      sent(
        "EXC_BREAKPOINT",
        "Fatal error: Index out of range",
        `
0   libswiftCore.dylib            	0x0000000190b5c3a8 _assertionFailure(_:_:file:line:flags:) + 264
1   libswiftCore.dylib            	0x0000000190b00000 _ArrayBuffer._checkInoutAndNativeTypeCheckedBounds(_:wasNativeTypeChecked:) + 80
2   Shop                          	0x0000000104f3c3a8 OrdersViewController.tableView(_:cellForRowAt:) + 300 (OrdersViewController.swift:61)
3   Shop                          	0x0000000104f3c500 @objc OrdersViewController.tableView(_:cellForRowAt:) + 120 (<compiler-generated>:0)
4   UIKitCore                     	0x000000018e100000 -[UITableView _createPreparedCellForGlobalRow:withIndexPath:willDisplay:] + 844`,
      ),
      sent(
        "EXC_BREAKPOINT",
        "Fatal error: Index out of range",
        `
0   libswiftCore.dylib            	0x00000001a0b5c3a8 _assertionFailure(_:_:file:line:flags:) + 172
1   Shop                          	0x0000000100f3c3a8 specialized OrdersViewController.tableView(_:cellForRowAt:) + 340 (OrdersViewController.swift:64)
2   UIKitCore                     	0x000000019e100000 -[UITableView _createPreparedCellForGlobalRow:withIndexPath:willDisplay:] + 900
3   UIKitCore                     	0x000000019e100900 -[UITableView _updateVisibleCellsNow:] + 2000`,
      ),
    ],
    "an unknown selector": [
      sent(
        "NSInvalidArgumentException",
        "-[__NSCFString objectForKey:]: unrecognized selector sent to instance 0x600000c0a000",
        `
0   CoreFoundation                      0x00000001804ae138 __exceptionPreprocess + 172
1   libobjc.A.dylib                     0x0000000180087db4 objc_exception_throw + 56
2   CoreFoundation                      0x00000001804c2a54 +[NSObject(NSObject) instanceMethodSignatureForSelector:] + 0
3   Shop                                0x0000000100a1c0f4 -[ACFeedParser parse:] + 212
4   Shop                                0x0000000100a1d000 -[ACFeedController reload] + 88
5   UIKitCore                           0x0000000184d2a000 -[UIViewController viewWillAppear:] + 40`,
      ),
      sent(
        "NSInvalidArgumentException",
        "-[__NSCFString objectForKey:]: unrecognized selector sent to instance 0x7fa0b2d01200",
        `
0   CoreFoundation                      0x00007ff8004288ab __exceptionPreprocess + 242
1   libobjc.A.dylib                     0x00007ff80004dba3 objc_exception_throw + 48
2   CoreFoundation                      0x00007ff8004379a8 ___forwarding___ + 1433
3   CoreFoundation                      0x00007ff8004397e8 _CF_forwarding_prep_0 + 120
4   Shop                                0x000000010a1c0f40 -[ACFeedParser parse:] + 240
5   Shop                                0x000000010a1d0000 -[ACFeedController reload] + 92`,
      ),
    ],
    "an async load": [
      sent(
        "Fatal error",
        "no session 17",
        `
Fatal error: no session 17

Thread 2 crashed:

0 0x0000aaaae5a31234 Session.load(id:) + 92 in App at /app/Sources/App/Session.swift:31:9
1 0x0000aaaae5a39999 routes(_:) + 20 in App at /app/Sources/App/routes.swift:12:21
2 [ra] 0x0000ffffa0001234 completeTaskWithClosure(swift::AsyncContext*, swift::SwiftError*) in libswift_Concurrency.so`,
      ),
      sent(
        "Fatal error",
        "no session 99",
        `
Fatal error: no session 99

Thread 5 crashed:

0 [inlined] 0x0000aaaab1a31234 Session.load(id:) + 80 in App at /srv/App/Sources/App/Session.swift:33:9
1 [async] 0x0000aaaab1a39999 routes(_:) in App at /srv/App/Sources/App/routes.swift:13:21`,
      ),
    ],
    "a crash without symbols": [
      sent(
        "EXC_BAD_ACCESS",
        "KERN_INVALID_ADDRESS at 0x0000000000000010",
        `
0   Shop                          	0x0000000104f2c3a8 0x104f24000 + 33704
1   Shop                          	0x0000000104f2d3a8 0x104f24000 + 37800
2   UIKitCore                     	0x000000018e000000 0x18d000000 + 16777216`,
      ),
      sent(
        "EXC_BAD_ACCESS",
        "KERN_INVALID_ADDRESS at 0x0000000000000018",
        `
0   Shop                          	0x000000010232c3a8 0x102324000 + 33768
1   Shop                          	0x000000010232d3a8 0x102324000 + 37868
2   UIKitCore                     	0x000000019e000000 0x19d000000 + 16777300`,
      ),
    ],
    "an average of nothing": [
      sent(
        "Fatal error",
        "Division by zero",
        `
0   Shop                          	0x0000000104a3c1f4 closure #1 in Prices.average() + 120 (Prices.swift:7)
1   Shop                          	0x0000000104a3c8a0 partial apply for closure #1 in Prices.average() + 40
2   libswiftCore.dylib            	0x00000001a2b3c4d0 Sequence.reduce<A>(_:_:) + 300
3   Shop                          	0x0000000104a3c8b0 Prices.average() + 400`,
      ),
      sent(
        "EXC_BREAKPOINT",
        "Division by zero",
        `
0   Shop                          	0x0000000104b3c1f4 specialized closure #1 in Prices.average() + 80 (Prices.swift:8)
1   libswiftCore.dylib            	0x00000001a2b3c4d0 specialized Sequence.reduce<A>(_:_:) + 300
2   Shop                          	0x0000000104b3c8b0 Prices.average() + 400`,
      ),
    ],
  },
};
